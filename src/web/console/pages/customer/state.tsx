import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Skeleton } from "../../../components/notice.tsx";
import { type CustomerFacts, type CustomerState, customerState } from "../../../lib/customer-state.ts";
import { formatMoney } from "../../../lib/format.ts";
import { partsOf } from "../../queries/found.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { isRejectedBeyond, useCustomerUsage } from "../../queries/usage.tsx";
import { actionLabels, actionsOf, type InvoiceAction, InvoiceActionDialog } from "../billing/invoice-actions.tsx";
import { useOwed, useSubscriptionsOf } from "../billing/queries.ts";
import { SuspendConsumer } from "../consumers/edit-consumer.tsx";
import { ChangePlan } from "../subscriptions/change-plan.tsx";
import { ChangeStatus } from "../subscriptions/change-status.tsx";
import { PauseOrResume } from "../subscriptions/subscription-panel.tsx";
import { type HeadProps, useBilledCustomers } from "./use-customer.ts";

const icons = { error: CircleAlert, warning: TriangleAlert, success: CircleCheck, info: Info };

type Action = InvoiceAction | "status" | "resume" | "plan";

const labels = { ...actionLabels, status: "Change status", resume: "Resume", plan: "Change plan" };

/** Whether requests of the customer pass, in a sentence, and the actions that end what rejects them. */
export function CustomerStateLine(props: HeadProps) {
  const { name, keyBucket, consumer, billed, chosen } = props;
  const keys = useRead(
    ["keys", keyBucket, name, 1],
    (api, { signal }) => api.keys(keyBucket!, name).list({ limit: 100, signal }).page(),
    { enabled: keyBucket !== undefined },
  );
  const usage = useCustomerUsage([name]);
  if ((keyBucket !== undefined && keys.isPending) || usage.isPending || billed.isPending) return <StateLine />;
  const hasMoney = chosen?.customer.balances?.some(({ amount }) => Number(amount) > 0) ?? false;
  const facts = {
    suspension: consumer?.isSuspended ? { reason: consumer.suspensionReason } : undefined,
    // Of more keys than a page has, one of the others may work.
    keys: keys.data && keys.data.total <= keys.data.data.length ? keys.data.data : undefined,
    usedUp: usage.data
      ?.get(name)
      ?.flatMap(({ meters, plans, periodEnd }) =>
        Object.entries(meters).flatMap(([meter, { label, available }]) =>
          available <= 0 && isRejectedBeyond(plans, meter, hasMoney)
            ? [{ label: label ?? meter, until: periodEnd }]
            : [],
        ),
      ),
  };
  if (chosen) return <BilledState {...props} bucket={chosen.bucketId} facts={facts} />;
  const state = customerState({ ...facts, subscriptions: billed.data && [] });
  return (
    <StateLine state={state}>
      <HolderAction state={state} {...props} />
    </StateLine>
  );
}

/** The state of a consumer that a search has found, by its path in the API. */
export default function FoundCustomerState({ path }: { path: string }) {
  const [, , , bucket, , name] = partsOf(path) as [string, string, string, string, string, string];
  const consumer = useRead(["consumer", bucket, name], (api, { signal }) =>
    api.consumers(bucket).get(name, { signal }),
  );
  const billed = useBilledCustomers(name);
  if (consumer.error) return null;
  if (!consumer.data) return <StateLine />;
  const place = { name, keyBucket: bucket, consumer: consumer.data };
  return <CustomerStateLine {...place} billed={billed} chosen={billed.data?.[0]} />;
}

function BilledState({ bucket, facts, ...props }: HeadProps & { bucket: string; facts: CustomerFacts }) {
  const { deniedBill } = useSession();
  const subscriptions = useSubscriptionsOf(bucket, props.name);
  const owed = useOwed(bucket, [props.name]);
  const [open, setOpen] = useState<Action>();
  if (subscriptions.isPending || owed.isPending) return <StateLine />;
  const held = subscriptions.data?.data;
  const late = owed.data && [...owed.data.open.filter(({ failedOn }) => failedOn), ...owed.data.givenUp];
  const unpaid = late?.map(({ number, amountDue, currency }) => ({ number, due: formatMoney(amountDue, currency) }));
  const state = customerState({ ...facts, subscriptions: held, unpaid });
  const subscription = held?.at(-1);
  const invoice = late?.[0];
  const actions: Partial<Record<NonNullable<CustomerState["cause"]>, Action[]>> = {
    invoice: invoice && actionsOf(invoice).filter((action) => action === "collect" || action === "mark-paid"),
    subscription: ["status"],
    paused: ["resume"],
    "used-up": ["plan"],
  };
  const dialog = { bucket, onClose: () => setOpen(undefined) };
  return (
    <StateLine state={state}>
      <HolderAction state={state} {...props} />
      {(state.cause && actions[state.cause])?.map((action) => (
        <Button key={action} isSmall denied={deniedBill} onClick={() => setOpen(action)}>
          {labels[action]}
        </Button>
      ))}
      {invoice && (open === "collect" || open === "mark-paid") && (
        <InvoiceActionDialog action={open} invoice={invoice} {...dialog} />
      )}
      {subscription && open === "status" && <ChangeStatus subscription={subscription} {...dialog} />}
      {subscription && open === "resume" && <PauseOrResume action="resume" subscription={subscription} {...dialog} />}
      {subscription && open === "plan" && <ChangePlan subscription={subscription} {...dialog} />}
    </StateLine>
  );
}

/** What ends a suspension, or shows the keys. */
function HolderAction({ state: { cause }, keyBucket, consumer }: HeadProps & { state: CustomerState }) {
  const { deniedEdit } = useSession();
  const [isResuming, setIsResuming] = useState(false);
  if (!consumer || keyBucket === undefined) return null;
  if (cause === "keys")
    return (
      <Link className="button" data-kind="secondary" data-small to="." search={{ tab: "keys" } as never}>
        Show keys
      </Link>
    );
  if (cause !== "suspended") return null;
  return (
    <>
      <Button isSmall denied={deniedEdit} onClick={() => setIsResuming(true)}>
        Resume
      </Button>
      {isResuming && <SuspendConsumer bucket={keyBucket} consumer={consumer} onClose={() => setIsResuming(false)} />}
    </>
  );
}

/** Has its height before anything is known, so that the page does not move. */
function StateLine({ state, children }: { state?: CustomerState; children?: ReactNode }) {
  const Icon = state && icons[state.kind];
  return (
    <div className="notice customer-state" data-kind={state?.kind === "success" ? undefined : state?.kind}>
      {Icon && <Icon size={16} aria-hidden />}
      <p>{state ? state.text : <Skeleton width={160} />}</p>
      {children}
    </div>
  );
}
