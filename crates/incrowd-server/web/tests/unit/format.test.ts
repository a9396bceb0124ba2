import { describe, expect, it } from "vitest";
import { change, count, counted, figure, listed, parameter, share } from "../../src/format";

describe("numbers", () => {
  it("are grouped, also if they are too large for a double", () => {
    expect(count(30162)).toBe("30,162");
    expect(count("18446744073709551616")).toBe("18,446,744,073,709,551,616");
    expect(count("many")).toBe("many");
    expect([counted(1, "row"), counted(2, "row"), counted(0, "class", "classes")]).toEqual([
      "1 row",
      "2 rows",
      "0 classes",
    ]);
  });

  it("never round a share to nothing or to everything", () => {
    expect([share(0), share(0.00001), share(0.004973), share(0.0157), share(0.34), share(0.9999), share(1)]).toEqual([
      "0 %",
      "< 0.01 %",
      "0.5 %",
      "1.6 %",
      "34 %",
      "> 99 %",
      "100 %",
    ]);
  });

  it("have four significant digits", () => {
    expect([figure(0.022823522), figure(327.84), figure(47442874), figure(0), figure(3.2e14), figure(1e-7)]).toEqual([
      "0.02282",
      "327.8",
      "47,442,874",
      "0",
      "3.20e+14",
      "1.00e-7",
    ]);
    expect(figure(Number.NaN)).toBe("–");
  });

  it("show a change with its sign, and none where there is none", () => {
    expect(change(3, 2)).toBe("+1");
    expect(change(0.1, 0.3)).toBe("−0.2");
    expect(change(0.1 + 0.2, 0.3)).toBe("");
  });

  it("are written as people type them", () => {
    expect([parameter(5), parameter(0.1 + 0.2), parameter("12.5")]).toEqual(["5", "0.3", "12.5"]);
    expect([listed([]), listed(["a"]), listed(["a", "b", "c"])]).toEqual(["", "a", "a, b and c"]);
  });
});
