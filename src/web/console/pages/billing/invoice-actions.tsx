import { useState } from "react";
import type { Invoice, Tollgate } from "../../../../client/index.ts";
import { formatMinor, parseMinor } from "../../../../lib/text/minor-units.ts";
import { bindForm, TextField } from "../../../components/field.tsx";
import { formatMoney, fromLocalInput } from "../../../lib/format.ts";
import { CallDialog, ConfirmCall, useCall } from "../../shell/requests.tsx";

export type InvoiceAction = "finalize" | "collect" | "mark-paid" | "refund" | "credit" | "mark-uncollectible" | "void";

interface Props {
  bucket: string;
  invoice: Invoice;
  onClose: () => void;
}

const nameOf = ({ number, customerKey }: Invoice) => number ?? `the draft of ${customerKey}`;

/** The actions that are possible in the invoice's state, the most usual one first. */
export function actionsOf({ type, status }: Invoice): InvoiceAction[] {
  if (type === "credit-note") return [];
  if (status === "draft") return ["finalize"];
  if (status === "open") return ["mark-paid", "collect", "credit", "mark-uncollectible", "void"];
  if (status === "uncollectible") return ["mark-paid", "credit", "void"];
  return status === "paid" ? ["refund", "credit"] : [];
}

export const actionLabels: Record<InvoiceAction, string> = {
  finalize: "Finalize",
  collect: "Collect",
  "mark-paid": "Mark as paid",
  refund: "Refund",
  credit: "Credit",
  "mark-uncollectible": "Give up",
  void: "Void",
};

/** The dialog of an action: it says what happens before anything does. */
export function InvoiceActionDialog({ action, ...props }: Props & { action: InvoiceAction }) {
  if (action === "mark-paid") return <MarkPaid {...props} />;
  if (action === "credit" || action === "refund") return <Credit isRefund={action === "refund"} {...props} />;
  return <Simple action={action} {...props} />;
}

function Simple({
  action,
  bucket,
  invoice,
  onClose,
}: Props & { action: "finalize" | "collect" | "mark-uncollectible" | "void" }) {
  const { id, amountDue, total, currency, customerKey } = invoice;
  const name = nameOf(invoice);
  const due = formatMoney(amountDue, currency);
  const dialog = {
    finalize: {
      title: `Finalize ${name}?`,
      text: `It gets its number, and never changes afterwards. ${formatMoney(total, currency)}, with taxes added, is collected from the balance and the payment method of ${customerKey}. Usage that arrives later is a line of the next invoice.`,
      message: "Invoice finalized",
      call: (api: Tollgate) => api.invoices(bucket).finalize(id),
      isSafe: true,
    },
    collect: {
      title: `Collect ${name}?`,
      text: `${due} is taken from the balance and the payment method of ${customerKey} now. If the payment fails, the invoice stays open, and its grace period is not prolonged.`,
      message: "Payment attempted",
      call: (api: Tollgate) => api.invoices(bucket).collect(id),
      isSafe: true,
    },
    "mark-uncollectible": {
      title: `Give up ${name}?`,
      text: `${due} is not collected any more. This counts as a failed payment, also before the due date: the access of ${customerKey} ends after the grace period, and does not return until the invoice is marked as paid or voided.`,
      message: "Invoice given up",
      call: (api: Tollgate) => api.invoices(bucket).markUncollectible(id),
      isSafe: false,
    },
    void: {
      title: `Void ${name}?`,
      text: `${customerKey} owes nothing for it any more, and what the balance paid of it is returned. The number stays in the series. This cannot be undone.`,
      message: "Invoice voided",
      call: (api: Tollgate) => api.invoices(bucket).void(id),
      isSafe: false,
    },
  }[action];
  return (
    <ConfirmCall
      title={dialog.title}
      action={`${actionLabels[action]} ${action === "collect" ? due : (invoice.number ?? "draft")}`}
      isSafe={dialog.isSafe}
      call={dialog.call}
      onClose={onClose}
      done={dialog.message}
    >
      <p>{dialog.text}</p>
    </ConfirmCall>
  );
}

function MarkPaid({ bucket, invoice, onClose }: Props) {
  const [form, setForm] = useState({ reference: "", paidOn: "" });
  const body = { reference: form.reference || undefined, paidOn: fromLocalInput(form.paidOn) };
  const save = useCall({
    call: (api) => api.invoices(bucket).markPaid(invoice.id, body),
    done: "Invoice marked as paid",
    onSuccess: onClose,
  });
  const { field } = bindForm(form, setForm, save.errors);
  return (
    <CallDialog title={`Mark ${nameOf(invoice)} as paid`} of={save} submit="Mark as paid" onClose={onClose}>
      <p>
        {invoice.customerKey} has paid {formatMoney(invoice.amountDue, invoice.currency)} outside of Tollgate, such as
        by bank transfer. If no other invoice is overdue, access is restored immediately. This cannot be undone; an
        error is corrected by a credit.
      </p>
      <TextField label="Reference" isOptional placeholder="transfer 4711" {...field("reference")} />
      <TextField label="Paid on" isOptional type="datetime-local" hint="Now, if it is empty." {...field("paidOn")} />
    </CallDialog>
  );
}

/** What is left of an invoice to credit. */
function creditable({ total, credited = "0", netted = "0" }: Invoice): string {
  const digits = total.split(".")[1]?.length ?? 0;
  const [whole = 0n, ...given] = [total, credited, netted].map((amount) => parseMinor(amount, digits));
  return formatMinor(
    given.reduce<bigint>((rest, each = 0n) => rest - each, whole),
    digits,
  );
}

/** An amount as people type it: "1,50" is 1.50. */
const decimalOf = (typed: string): string => typed.trim().replace(/^(\d+),(\d{1,2})$/, "$1.$2");

function Credit({ bucket, invoice, isRefund, onClose }: Props & { isRefund: boolean }) {
  const { id, currency, customerKey, status } = invoice;
  const left = creditable(invoice);
  const [form, setForm] = useState({ description: "", amount: left });
  const amount = decimalOf(form.amount);
  const body = { lines: [{ ...form, amount }], ...(isRefund ? { to: "payment-method" as const } : {}) };
  const save = useCall({
    call: (api) => api.invoices(bucket).credit(id, body),
    done: ({ number }) => `${isRefund ? "Refunded with" : "Credited with"} credit note ${number}`,
    onSuccess: onClose,
  });
  const { field } = bindForm(form, setForm, save.errors, { at: "/lines/0" });
  const isTooMuch = Number(amount) > Number(left);
  const most = `at most ${formatMoney(left, currency)}`;
  const verb = isRefund ? "Refund" : "Credit";
  return (
    <CallDialog
      title={`${verb} ${nameOf(invoice)}`}
      of={save}
      submit={Number(amount) > 0 && !isTooMuch ? `${verb} ${formatMoney(amount, currency)}` : verb}
      disabled={isTooMuch}
      onClose={onClose}
    >
      <p>
        {isRefund
          ? `The amount is returned as ${customerKey} has paid it; what the balance has paid goes back to the balance. If the refund fails, the amount is added to the balance. An invoice that you marked as paid you refund yourself.`
          : status === "paid"
            ? `The amount is added to the balance of ${customerKey}, which pays the next invoices.`
            : `It reduces what ${customerKey} owes; what was paid already is added to the balance.`}{" "}
        A numbered credit note corrects the invoice, which itself never changes. This cannot be undone.
      </p>
      <div className="form-grid">
        <TextField
          label={`Amount in ${currency}`}
          inputMode="decimal"
          hint={`With tax, ${most}.`}
          {...field("amount")}
          {...(isTooMuch && { error: `must be ${most}` })}
        />
        <TextField
          label="Reason"
          placeholder="Outage on 3 May"
          hint="The customer reads it on the credit note."
          {...field("description")}
        />
      </div>
    </CallDialog>
  );
}
