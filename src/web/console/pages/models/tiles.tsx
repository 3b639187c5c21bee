import { Figure } from "../../../components/number.tsx";
import { formatPercent } from "../../../lib/format.ts";
import { Cost } from "../../components/cost.tsx";
import { type Change, changeOf } from "../home/figures.ts";
import { type Pair, Tile } from "../home/tiles.tsx";
import { type ModelSeries, type ModelTotals, marginShare } from "./figures.ts";

/** Requests, cost, charge and margin, each with the change from the previous period. */
export function ModelTiles({ all }: { all: Pair<ModelSeries> | undefined }) {
  const share = all && marginShare(all.present.totals);
  return (
    <div className="figures">
      <Tile
        label="Requests"
        change={all && changeOf(all.present.totals.requests, all.before.totals.requests, { isMoreGood: true })}
        values={all?.present.points.map(({ requests }) => requests) ?? []}
      >
        {all && <Figure value={all.present.totals.requests} />}
      </Tile>
      <MoneyTile label="Cost" name="cost" all={all} isMoreGood={false} color="chart-2" />
      <MoneyTile label="Charge" name="charge" all={all} isMoreGood />
      <MoneyTile
        label={share === undefined ? "Margin" : `Margin (${formatPercent(share)})`}
        name="margin"
        all={all}
        isMoreGood
      />
    </div>
  );
}

interface MoneyTileProps {
  label: string;
  name: "cost" | "charge" | "margin";
  all: Pair<ModelSeries> | undefined;
  isMoreGood: boolean;
  color?: string;
}

function MoneyTile({ label, name, all, isMoreGood, color }: MoneyTileProps) {
  const present = all?.present.totals;
  const before = all?.before.totals;
  return (
    <Tile
      label={label}
      change={present && before && changeOfMoney(present, before)}
      // In billionths: a sparkline of values below 1 would be flat.
      values={all?.present.points.map((point) => Math.max(Number(point[name] ?? 0) * 1e9, 0)) ?? []}
      {...(color ? { color } : {})}
    >
      {present && <Cost amount={present[name]} currency={present.currency} />}
    </Tile>
  );

  /** Amounts of different currencies, or of different signs, have no ratio. */
  function changeOfMoney(now: ModelTotals, earlier: ModelTotals): Change {
    const amounts = [now, earlier].map((totals) => Number(totals[name] ?? Number.NaN));
    const isComparable =
      amounts.every((amount) => amount >= 0) && (amounts[1] === 0 || now.currency === earlier.currency);
    return isComparable ? changeOf(amounts[0]!, amounts[1]!, { isMoreGood }) : { text: "" };
  }
}
