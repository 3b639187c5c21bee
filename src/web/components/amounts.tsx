import type { UpcomingInvoice } from "../../client/index.ts";
import { paymentsOf } from "../../lib/text/invoice-payments.ts";
import { formatMoney } from "../lib/format.ts";

type Amount = Pick<UpcomingInvoice, "type" | "status" | "total" | "amountDue" | "currency" | "fromCredits"> & {
  lines: Pick<UpcomingInvoice["lines"][number], "description" | "meter" | "amount" | "isIncluded">[];
};

/** The lines of an invoice to come, and what is due of it. */
export function Amounts({ invoice, due }: { invoice: Amount; due: string }) {
  const { lines, total, amountDue, currency } = invoice;
  const payments = paymentsOf(invoice);
  const rows = [
    ...lines
      .filter(({ isIncluded }) => !isIncluded)
      .map(({ description, meter, amount }) => ({ label: description ?? meter, amount })),
    ...(payments.length === 0 ? [] : [{ label: "Total", amount: total }, ...payments]),
  ];
  const included = lines.filter(({ isIncluded }) => isIncluded);
  return (
    <table className="table" aria-label="Amounts">
      <tbody>
        {rows.map(({ label, amount }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity, and the list is not changed
          <tr key={index}>
            <td>{label}</td>
            <td data-align="end">{formatMoney(amount, currency)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">
            {due}
            {included.map(({ description, amount }) => (
              <span className="amount-included" key={description}>
                {" "}
                incl. {description} {formatMoney(amount, currency)}
              </span>
            ))}
          </th>
          <td data-align="end">
            <strong>{formatMoney(amountDue, currency)}</strong>
          </td>
        </tr>
      </tbody>
    </table>
  );
}
