import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { amountText } from "../../../client/amount-text.ts";
import type { PortalSpending } from "../../../client/transport/portal-schema.gen.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Choices, TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { Table } from "../../components/table.tsx";
import { errorAt, fieldErrors } from "../../lib/errors.ts";
import { bindInput } from "../../lib/form-fields.ts";
import { formatUtcDay } from "../../lib/format.ts";
import { formatMoney } from "../../lib/money.ts";
import { Link } from "../../lib/router.tsx";
import { call } from "../queries/api.ts";

type Cap = NonNullable<PortalSpending["spendCap"]>;
type Credit = PortalSpending["credits"][number];

const queryKey = ["spending"];

/** Credits, and what limits the cost of usage beyond the plan. Nothing is shown to customers who have neither. */
export function Spending({ mayChange }: { mayChange: boolean }) {
  const spending = useQuery({ queryKey, queryFn: ({ signal }) => call("getPortalSpending", { signal }) });
  if (!spending.data) return null;
  const { credits } = spending.data;
  return (
    <>
      {credits.length > 0 && (
        <section className="card stack" aria-label="Credits">
          <h2>Credits</h2>
          <p className="muted">They pay for usage beyond your plan first. Money also pays your next invoices.</p>
          <Table
            caption="Credits"
            rows={credits}
            keyOf={({ id }) => id}
            columns={[
              { label: "For", render: (credit) => <Purpose credit={credit} /> },
              { label: "Left", isNumber: true, render: (credit) => amountOf(credit, credit.balance) },
              { label: "Granted", isNumber: true, render: (credit) => amountOf(credit, credit.amount) },
              { label: "Until", render: ({ expiresOn }) => (expiresOn ? formatUtcDay(expiresOn) : "No end") },
            ]}
          />
          <div className="row">
            <Link className="button" href="/credit">
              Show history
            </Link>
          </div>
        </section>
      )}
      <SpendingCap spending={spending.data} mayChange={mayChange} />
    </>
  );
}

function Purpose({ credit: { meter, reason, status, effectiveOn } }: { credit: Credit }) {
  return (
    <span className="row">
      {reason ?? (meter === undefined ? "Money" : meter)}
      {status === "scheduled" && <Badge tone="amber">from {formatUtcDay(effectiveOn)}</Badge>}
    </span>
  );
}

function amountOf({ currency, meter }: Credit, amount: string | number): string {
  return currency === undefined ? amountText(Number(amount), meter ?? "") : formatMoney(String(amount), currency);
}

function SpendingCap({ spending, mayChange }: { spending: PortalSpending; mayChange: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { currency, spendCap, creditLimit } = spending;
  if (currency === undefined) return null;
  return (
    <section className="card stack" aria-label="Spending cap">
      <h2>Spending cap</h2>
      <p>{spendCap ? describe(spendCap, currency) : "Usage beyond your plan is billed without a limit of yours."}</p>
      {creditLimit && <p className="muted">Set for you: {describe(creditLimit, currency)} The lower limit applies.</p>}
      {mayChange && (
        <div className="row">
          <Button onClick={() => setOpen(true)}>{spendCap ? "Change spending cap" : "Set spending cap"}</Button>
        </div>
      )}
      {isOpen && <ChangeCap cap={spendCap} currency={spendCap?.currency ?? currency} onClose={() => setOpen(false)} />}
    </section>
  );
}

function describe({ amount, action, currency }: Cap, ofCustomer: string): string {
  const money = formatMoney(amount, currency ?? ofCustomer);
  return action === "block"
    ? `At most ${money} in each period for usage beyond the plan. Requests that would cost more are rejected.`
    : `A mail when usage beyond the plan costs ${money} in a period. Nothing is rejected.`;
}

function ChangeCap({ cap, currency, onClose }: { cap: Cap | undefined; currency: string; onClose: () => void }) {
  const client = useQueryClient();
  const [amount, setAmount] = useState(cap?.amount ?? "");
  const [action, setAction] = useState<Cap["action"]>(cap?.action ?? "block");
  const save = useMutation({
    mutationFn: (spendCap: Cap | null) => call("updatePortalSpending", { body: { spendCap } }),
    onSuccess: (saved) => {
      client.setQueryData(queryKey, saved);
      onClose();
    },
  });
  return (
    <FormDialog
      title="Spending cap"
      mutation={save}
      submit="Save spending cap"
      onClose={onClose}
      blocksClosing
      onSubmit={() => save.mutate({ amount: amount.trim(), action, currency })}
      footStart={
        cap && (
          <Button kind="danger" disabled={save.isPending} onClick={() => save.mutate(null)}>
            Remove cap
          </Button>
        )
      }
    >
      <p className="muted">
        It applies from now on. What is owed already stays. The e-mail address of your billing details gets a mail when
        80 % and when all of it is spent.
      </p>
      <TextField
        label={`Amount in ${currency}`}
        hint="For usage beyond the plan in a period. The price of the plan is not part of it."
        inputMode="decimal"
        {...bindInput(amount, setAmount, errorAt(fieldErrors(save.error), "/spendCap/amount"))}
      />
      <Choices
        legend="When it is reached"
        name="action"
        value={action}
        onChange={(value) => setAction(value as Cap["action"])}
        options={[
          { value: "block", label: "Reject requests" },
          { value: "notify", label: "Only send a mail" },
        ]}
      />
    </FormDialog>
  );
}
