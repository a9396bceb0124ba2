/** Rows suppressed by the strength of the promise, with the budget as a line. */

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Curve as CurveData } from "../api/types";
import { count, parameter } from "../format";
import { isDark } from "../state/theme";

const HEIGHT = 260;

export function Curve({ data }: { data: CurveData }) {
  const holder = useRef<HTMLDivElement>(null);
  const dark = isDark.value;

  useEffect(() => {
    const element = holder.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const axis = {
      stroke: colour("--ink-quiet"),
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { stroke: colour("--line") },
    };
    const plot = new uPlot(
      {
        width: Math.max(200, element.clientWidth),
        height: HEIGHT,
        scales: {
          x: { time: false },
          y: { range: (_, __, most) => [0, Math.max(most, data.budget, 1) * 1.05] },
        },
        legend: { show: true, live: true },
        cursor: { drag: { x: false, y: false } },
        axes: [
          { ...axis, label: data.parameter_name, labelSize: 20, font: "12px system-ui", labelFont: "13px system-ui" },
          {
            ...axis,
            label: "rows suppressed",
            labelSize: 22,
            size: 62,
            font: "12px system-ui",
            labelFont: "13px system-ui",
            values: (_, ticks) => ticks.map((tick) => count(tick)),
          },
        ],
        series: [
          { label: data.parameter_name, value: (_, value) => (value === null ? "–" : parameter(value)) },
          {
            label: "rows suppressed",
            stroke: colour("--accent"),
            width: 2,
            points: { show: data.points.length <= 60, size: 5, fill: colour("--accent") },
            value: (_, value) => (value === null ? "–" : count(value)),
          },
          {
            label: "budget",
            stroke: colour("--warn"),
            width: 2,
            dash: [8, 5],
            points: { show: false },
            value: () => count(data.budget),
          },
        ],
        hooks: {
          draw: [
            (chart) => {
              const x = Math.round(chart.valToPos(data.asked, "x", true));
              chart.ctx.save();
              chart.ctx.strokeStyle = colour("--ink-quiet");
              chart.ctx.setLineDash([2, 4]);
              chart.ctx.beginPath();
              chart.ctx.moveTo(x, chart.bbox.top);
              chart.ctx.lineTo(x, chart.bbox.top + chart.bbox.height);
              chart.ctx.stroke();
              chart.ctx.restore();
            },
          ],
        },
      },
      [data.points.map(([value]) => value), data.points.map(([, rows]) => rows), data.points.map(() => data.budget)],
      element,
    );
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: Math.max(200, element.clientWidth), height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data, dark]);

  return (
    <div class="curve">
      <div ref={holder} role="img" aria-label={tell(data)} />
      <details>
        <summary>Show as a table</summary>
        <section class="scrolls limited" tabIndex={0} aria-label="Rows suppressed as a table">
          <table>
            <thead>
              <tr>
                <th scope="col">{data.parameter_name}</th>
                <th scope="col">Rows suppressed</th>
                <th scope="col">Within the budget</th>
              </tr>
            </thead>
            <tbody>
              {data.points.map(([value, rows]) => (
                <tr key={value}>
                  <td>{parameter(value)}</td>
                  <td>{count(rows)}</td>
                  <td>{rows <= data.budget ? "yes" : "no"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </div>
  );
}

function tell(data: CurveData): string {
  const first = data.points[0];
  const last = data.points[data.points.length - 1];
  if (!first || !last) return "Nothing to draw.";
  const name = data.parameter_name;
  return `Rows suppressed at the levels of this release: ${count(first[1])} for ${name} = ${parameter(first[0])}, ${count(last[1])} for ${name} = ${parameter(last[0])}. The budget is ${count(data.budget)}.`;
}
