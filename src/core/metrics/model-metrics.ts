import type { Metric, Sample } from "../../platform/telemetry/exposition.ts";

/** Beyond it, further models are counted as `other`. */
const maxModels = 500;
const other = "other";

interface CountedModel {
  deployment: string;
  /** The alias. */
  model: string;
  provider: string;
}

interface ModelAmounts {
  input: number;
  cached: number;
  cacheWrite: number;
  output: number;
  cost: number;
  charge: number;
}

const categories = ["input", "cached", "cacheWrite", "output"] as const;

/** Metrics of the tokens and costs of models. */
export class ModelMetrics {
  readonly #totals = new Map<string, CountedModel & ModelAmounts>();
  readonly metrics: Metric[] = [
    {
      name: "tollgate_model_tokens_total",
      help: "Tokens of models, by deployment, model, provider and category.",
      type: "counter",
      names: ["deployment", "model", "provider"],
      samples: () => this.#samples((total) => categories.map((category) => [{ category }, total[category]])),
    },
    {
      name: "tollgate_model_cost_total",
      help: "What providers charge for models, in the currency of their prices.",
      type: "counter",
      names: ["deployment", "model", "provider"],
      samples: () => this.#samples(({ cost }) => [[{}, cost]]),
    },
    {
      name: "tollgate_model_charge_total",
      help: "What meters with the count `cost` have counted for models.",
      type: "counter",
      names: ["deployment", "model", "provider"],
      samples: () => this.#samples(({ charge }) => [[{}, charge]]),
    },
  ];

  add({ deployment, model, provider }: CountedModel, amounts: ModelAmounts): void {
    const total = this.#totalOf(deployment, model, provider);
    for (const category of categories) total[category] += amounts[category];
    total.cost += amounts.cost;
    total.charge += amounts.charge;
  }

  /** Removes the series of a deleted deployment. */
  forget(deployment: string): void {
    for (const [key, total] of this.#totals) if (total.deployment === deployment) this.#totals.delete(key);
  }

  #totalOf(deployment: string, model: string, provider: string): CountedModel & ModelAmounts {
    // Names contain no line breaks.
    const key = `${deployment}\n${model}\n${provider}`;
    const known = this.#totals.get(key);
    if (known) return known;
    if (this.#totals.size >= maxModels && deployment !== other) return this.#totalOf(other, other, other);
    const total = { deployment, model, provider, input: 0, cached: 0, cacheWrite: 0, output: 0, cost: 0, charge: 0 };
    this.#totals.set(key, total);
    return total;
  }

  *#samples(valuesOf: (total: ModelAmounts) => [Record<string, string>, number][]): Generator<Sample> {
    for (const { deployment, model, provider, ...total } of this.#totals.values())
      for (const [more, value] of valuesOf(total)) yield { labels: { deployment, model, provider, ...more }, value };
  }
}
