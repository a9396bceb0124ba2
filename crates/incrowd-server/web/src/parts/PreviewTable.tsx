/** The first rows of a release. Cells are data: text, never markup. */

import type { Preview } from "../api/types";
import { counted } from "../format";

export function PreviewTable({ preview }: { preview: Preview }) {
  return (
    <>
      <section class="scrolls limited" tabIndex={0} aria-label="First rows of the release">
        <table class="preview">
          <thead>
            <tr>
              {preview.columns.map((name, index) => (
                <th scope="col" key={index}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {preview.rows.map((row, index) => (
              <tr key={index}>
                {row.map((cell, at) => (
                  <td key={at}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="quiet">
        {preview.suppressed === 0
          ? "No row is left out."
          : `${counted(preview.suppressed, "row")} ${preview.suppressed === 1 ? "is" : "are"} left out of the release.`}
      </p>
    </>
  );
}
