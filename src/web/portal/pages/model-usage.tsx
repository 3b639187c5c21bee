import type { PortalUsage } from "../../../client/portal/schema.gen.ts";
import { Figure } from "../../components/number.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatUtcDay } from "../../lib/format.ts";
import { formatSmallMoney, formatUnitPrice } from "../../lib/money.ts";

type Models = PortalUsage["models"];
type ModelUse = Models["data"][number];

const tokens = (name: "input" | "cached" | "cacheWrite" | "output", label: string): Column<ModelUse> => ({
  label,
  isNumber: true,
  isMinor: name === "cached" || name === "cacheWrite",
  render: (use) => <Figure value={use[name]} />,
});

const columns: Column<ModelUse>[] = [
  { label: "Model", isText: true, render: ({ model }) => <span className="mono">{model}</span> },
  { label: "Requests", isNumber: true, render: ({ requests }) => <Figure value={requests} /> },
  tokens("input", "Input"),
  tokens("cached", "Cached"),
  tokens("cacheWrite", "Cache writes"),
  tokens("output", "Output"),
];

const charge: Column<ModelUse> = {
  label: "Charge",
  isNumber: true,
  render: ({ charge: charged }) =>
    charged ? (
      <span className="number" title={formatUnitPrice(charged.amount, charged.currency)}>
        {formatSmallMoney(charged.amount, charged.currency)}
      </span>
    ) : (
      "–"
    ),
};

/** The tokens and the charge of each model. */
export function ModelUsage({ from, data }: Models) {
  const isCharged = data.some(({ charge: charged }) => Number(charged?.amount ?? 0) > 0);
  return (
    <section className="card stack" aria-labelledby="models">
      <div>
        <h2 id="models">Models</h2>
        <p className="muted">Requests and tokens since {formatUtcDay(from)}, by model.</p>
      </div>
      <Table
        caption="Models"
        columns={isCharged ? [...columns, charge] : columns}
        rows={data}
        keyOf={({ model, charge: charged }) => `${model} ${charged?.currency ?? ""}`}
      />
    </section>
  );
}
