import { useMutation } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { amountText } from "../../../client/amount-text.ts";
import type { PortalSpending } from "../../../client/transport/portal-schema.gen.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { bindInput, Choices, TextField } from "../../components/field.tsx";
import { Table } from "../../components/table.tsx";
import { errorAt, fieldErrors } from "../../lib/errors.ts";
import { formatMoney, formatUtcDay } from "../../lib/format.ts";
import { Link } from "../../lib/router.tsx";
import { call, useRead } from "../queries/api.ts";

type Cap = NonNullable<PortalSpending["spendCap"]>;
type Credit = PortalSpending["credits"][number];

/** Credits, and what limits the cost of usage beyond the plan. Nothing is shown to customers who have neither. */
export function Spending({ mayChange }: { mayChange: boolean }) {
  const spending = useRead("getPortalSpending");
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
            columns={[
              { label: "For", render: (credit) => <Purpose credit={credit} /> },
              { label: "Left", isNumber: true, isLead: true, render: (credit) => amountOf(credit, credit.balance) },
              { label: "Granted", isNumber: true, render: (credit) => amountOf(credit, credit.amount) },
              { label: "Expires", render: ({ expiresOn }) => (expiresOn ? formatUtcDay(expiresOn) : "Never") },
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
  const [editing, setEditing] = useState<string>();
  const { currency, currencies = currency === undefined ? [] : [currency] } = spending;
  if (currency === undefined) return null;
  const caps = capsIn(spending.spendCap, spending.spendCaps, currency);
  const limits = capsIn(spending.creditLimit, spending.creditLimits, currency);
  const isOne = currencies.length === 1;
  const { overage } = spending;
  // Nothing is paid for usage that is rejected. A cap that was set earlier can still be removed.
  if (overage !== "bill" && overage !== "prepaid" && caps.length === 0 && limits.length === 0)
    return overage === "block" ? <NoOverage /> : null;
  return (
    <section className="card stack" aria-label="Spending cap">
      <h2>Spending cap</h2>
      {currencies.map((each) => {
        const cap = caps.find((its) => its.currency === each);
        const limit = limits.find((its) => its.currency === each);
        const action = `${cap ? "Change" : "Set"} spending cap`;
        return (
          <Fragment key={each}>
            <p>{cap ? describe(cap) : `${unlimited[overage ?? "block"]}${isOne ? "" : ` in ${each}`}.`}</p>
            {limit && <p className="muted">Set for you: {describe(limit)} The lower limit applies.</p>}
            {mayChange && (
              <div className="row">
                <Button onClick={() => setEditing(each)}>{isOne ? action : `${action} in ${each}`}</Button>
              </div>
            )}
          </Fragment>
        );
      })}
      {editing !== undefined && <ChangeCap caps={caps} currency={editing} onClose={() => setEditing(undefined)} />}
    </section>
  );
}

const unlimited = {
  bill: "Usage beyond your plan is billed, and you have set no limit",
  prepaid: "Usage beyond your plan is paid from your credits, and you have set no limit",
  block: "Usage beyond your plan is rejected, without a cost",
};

function NoOverage() {
  return (
    <section className="card stack" aria-label="Usage beyond your plan">
      <h2>Usage beyond your plan</h2>
      <p>It is rejected until the next period, and costs nothing.</p>
    </section>
  );
}

type CurrencyCap = Cap & { currency: string };

function capsIn(cap: Cap | undefined, all: Cap[] | undefined, ofCustomer: string): CurrencyCap[] {
  return (all ?? (cap ? [cap] : [])).map((each) => ({ ...each, currency: each.currency ?? ofCustomer }));
}

function describe({ amount, action, currency }: CurrencyCap): string {
  const money = formatMoney(amount, currency);
  return action === "block"
    ? `At most ${money} in each period for usage beyond the plan. Requests that would cost more are rejected.`
    : `A mail when usage beyond the plan costs ${money} in a period. Nothing is rejected.`;
}

/** Changes the cap of a currency. Those of other currencies stay. */
function ChangeCap({ caps, currency, onClose }: { caps: CurrencyCap[]; currency: string; onClose: () => void }) {
  const cap = caps.find((each) => each.currency === currency);
  const others = caps.filter((each) => each.currency !== currency);
  const [amount, setAmount] = useState(cap?.amount ?? "");
  const [action, setAction] = useState<Cap["action"]>(cap?.action ?? "block");
  const save = useMutation({
    mutationFn: (own: CurrencyCap[]) => call("updatePortalSpending", { body: { spendCaps: [...others, ...own] } }),
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title="Spending cap"
      mutation={save}
      submit="Save spending cap"
      onClose={onClose}
      blocksClosing
      onSubmit={() => save.mutate([{ amount: amount.trim(), action, currency }])}
      footStart={
        cap && (
          <Button kind="danger" disabled={save.isPending} onClick={() => save.mutate([])}>
            Remove cap
          </Button>
        )
      }
    >
      <p className="muted">
        It applies from now on. What is owed already stays. The email address of your billing details gets a mail when
        80 % and when all of it is spent.
      </p>
      <TextField
        label={`Amount in ${currency}`}
        hint="For usage beyond the plan in a period. The price of the plan is not part of it."
        inputMode="decimal"
        {...bindInput(amount, setAmount, errorAt(fieldErrors(save.error), `/spendCaps/${others.length}/amount`))}
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
