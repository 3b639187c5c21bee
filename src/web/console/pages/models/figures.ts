import type { ModelAnalytics } from "../../../../client/index.ts";

export type ModelSeries = ModelAnalytics["series"][number];
export type ModelTotals = ModelSeries["totals"];

/** The categories of tokens, each token being in one of them. Red means errors, so none has it. */
export const tokenCategories = [
  { name: "input", label: "Input", color: "chart-4" },
  { name: "cached", label: "Cached", color: "chart-5" },
  { name: "cacheWrite", label: "Cache writes", color: "chart-2" },
  { name: "output", label: "Output", color: "chart-1" },
] as const;

/** The margin as a share of the charge. Undefined without a charge, and if there are several currencies. */
export function marginShare({ margin, charge }: Pick<ModelTotals, "margin" | "charge">): number | undefined {
  const charged = Number(charge ?? 0);
  return margin === null || charged <= 0 ? undefined : Number(margin) / charged;
}
