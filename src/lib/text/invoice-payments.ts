import { formatMinor, parseMinor } from "./minor-units.ts";

interface Payable {
  type: "invoice" | "credit-note";
  status: string;
  total: string;
  amountDue: string;
  fromCredits?: string | undefined;
  credited?: string | undefined;
}

/**
 * What lies between the total of an invoice and the amount due, as rows that add up: what credits paid, credit notes, and
 * payments. A credit note for something that was paid already is returned to the customer's credits.
 */
export function paymentsOf(invoice: Payable): { label: string; amount: string }[] {
  const { type, status, total, amountDue, fromCredits = "0", credited = "0" } = invoice;
  if (type === "credit-note") return [];
  const digits = total.split(".")[1]?.length ?? 0;
  const units = (amount: string) => parseMinor(amount, digits)!;
  const rows = [
    { label: "Paid from credits", units: -units(fromCredits) },
    { label: "Credited", units: -units(credited) },
  ];
  // A void invoice is not paid, and what is due of a draft is not known yet.
  if (status !== "void" && status !== "draft") {
    const rest = rows.reduce((sum, row) => sum + row.units, units(total)) - units(amountDue);
    const paid = units(credited) === 0n ? "Paid" : "Paid, after credit notes";
    rows.push({ label: rest > 0n ? paid : "Returned to credits", units: -rest });
  }
  return rows.flatMap((row) =>
    row.units === 0n ? [] : [{ label: row.label, amount: formatMinor(row.units, digits) }],
  );
}
