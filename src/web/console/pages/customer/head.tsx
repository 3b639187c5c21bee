import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ban, ExternalLink, Eye, Pencil, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Consumer, Tollgate } from "../../../../client/index.ts";
import { Badge, Tags } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { ErrorNotice, Skeleton } from "../../../components/notice.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { formatMoney, plural } from "../../../lib/format.ts";
import { displayNameOf } from "../../queries/display-names.tsx";
import { usePortals } from "../../queries/portal.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { PageHead } from "../../shell/page.tsx";
import { AsCommand, ConfirmCall, CopyAs, useCall } from "../../shell/requests.tsx";
import { formatDue } from "../billing/invoice-state.tsx";
import { useOwed } from "../billing/use-invoices.ts";
import { useSubscriptionsOf } from "../billing/use-subscriptions.ts";
import { EditConsumer, SuspendConsumer } from "../consumers/edit-consumer.tsx";
import { SubscriptionStatus } from "../subscriptions/change-status.tsx";
import { usePlans } from "../subscriptions/plans.ts";
import { CustomerStateLine } from "./state.tsx";
import type { BilledCustomer, HeadProps } from "./use-customer.ts";

/** The name, plan, status, amount due and available credit of a customer. */
export function CustomerHead({ name, keyBucket, consumer, billed, chosen }: HeadProps) {
  const display = displayNameOf(name, {
    displayName: consumer?.displayName,
    legalName: chosen?.customer.legalName,
  });
  const payer = chosen && { call: (api: Tollgate) => api.customers(chosen.bucketId).get(name) };
  const holder = keyBucket !== undefined && { call: (api: Tollgate) => api.consumers(keyBucket).get(name) };
  const first = holder || payer;
  return (
    <>
      <PageHead
        title={display}
        actions={
          <>
            {first && <AsCommand {...first} more={holder && payer ? [{ title: "Billing", ...payer }] : []} />}
            {consumer && keyBucket !== undefined && <ConsumerActions bucket={keyBucket} consumer={consumer} />}
          </>
        }
      >
        <p className="row row-wrap">
          {display !== name && <span className="mono">{name}</span>}
          {consumer ? (
            <span>
              Since <RelativeTime time={consumer.createdOn} /> in {keyBucket}
            </span>
          ) : (
            <span>No consumer: it has no keys</span>
          )}
          {consumer?.isSuspended && <Badge tone="red">Suspended</Badge>}
          <Tags tags={consumer?.tags} />
        </p>
      </PageHead>
      <CustomerStateLine name={name} keyBucket={keyBucket} consumer={consumer} billed={billed} chosen={chosen} />
      <HeadFigures name={name} isLoading={billed.isPending} chosen={chosen} />
    </>
  );
}

interface HeadFiguresProps {
  name: string;
  isLoading: boolean;
  chosen: BilledCustomer | undefined;
}

/** Always four, so that the page does not move when they are loaded. */
function HeadFigures({ name, isLoading, chosen }: HeadFiguresProps) {
  if (isLoading || !chosen)
    return (
      <dl className="head-figures">
        {["Plan", "Status", "Amount due", "Credit"].map((label) => (
          <HeadFigure key={label} label={label}>
            {isLoading ? <Skeleton width={72} /> : <span className="muted">None</span>}
          </HeadFigure>
        ))}
      </dl>
    );
  return <BilledFigures name={name} bucket={chosen.bucketId} />;
}

function BilledFigures({ name, bucket }: { name: string; bucket: string }) {
  const plans = usePlans(bucket);
  const subscriptions = useSubscriptionsOf(bucket, name);
  const owed = useOwed(bucket, [name]);
  const customer = useRead(["customer", bucket, name], (api, { signal }) =>
    api.customers(bucket).get(name, { signal }),
  );
  const held = subscriptions.data?.data ?? [];
  const current = held.filter(({ status }) => status !== "canceled" && status !== "incomplete-expired");
  const labels = [...new Set(current.flatMap(({ planIds }) => planIds))].map(
    (id) => plans.data?.find((plan) => plan.id === id)?.label,
  );
  const last = current.at(-1) ?? held.at(-1);
  const late = owed.data?.open.filter(({ failedOn }) => failedOn !== undefined) ?? [];
  const none = <span className="muted">None</span>;
  return (
    <dl className="head-figures">
      <HeadFigure label="Plan">
        {subscriptions.data && plans.data ? labels.join(", ") || none : <Skeleton width={72} />}
      </HeadFigure>
      <HeadFigure label="Status">
        {subscriptions.data ? last ? <SubscriptionStatus status={last.status} /> : none : <Skeleton width={72} />}
      </HeadFigure>
      <HeadFigure label="Amount due">
        {owed.data ? (
          owed.data.open.length > 0 ? (
            <>
              {formatDue(owed.data.open)} {late.length > 0 && <Badge tone="red">{formatDue(late)} overdue</Badge>}
            </>
          ) : (
            none
          )
        ) : (
          <Skeleton width={72} />
        )}
      </HeadFigure>
      <HeadFigure label="Credit">
        {customer.data ? (
          (customer.data.balances?.map(({ amount, currency }) => formatMoney(amount, currency)).join(" · ") ?? none)
        ) : (
          <Skeleton width={72} />
        )}
      </HeadFigure>
    </dl>
  );
}

function HeadFigure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function ConsumerActions({ bucket, consumer }: { bucket: string; consumer: Consumer }) {
  const { deniedEdit } = useSession();
  const { name } = consumer;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [open, setOpen] = useState<"edit" | "suspend" | "delete">();
  const portals = usePortals();
  const unplaced = portals.isPending ? { "data-unplaced": true } : {};
  const keys = queries.getQueryData<{ total: number }>(["keys", bucket, name, 1]);
  return (
    <>
      {portals.data?.some(({ bucketName, isEnabled }) => isEnabled && bucketName === bucket) && (
        <ViewPortal bucket={bucket} name={name} />
      )}
      <Button icon={Pencil} denied={deniedEdit} onClick={() => setOpen("edit")} {...unplaced}>
        Edit
      </Button>
      <Button icon={Ban} denied={deniedEdit} onClick={() => setOpen("suspend")} {...unplaced}>
        {consumer.isSuspended ? "Resume" : "Suspend"}
      </Button>
      <Button icon={Trash2} kind="danger" denied={deniedEdit} onClick={() => setOpen("delete")} {...unplaced}>
        Delete
      </Button>
      {open === "edit" && <EditConsumer bucket={bucket} consumer={consumer} onClose={() => setOpen(undefined)} />}
      {open === "suspend" && <SuspendConsumer bucket={bucket} consumer={consumer} onClose={() => setOpen(undefined)} />}
      {open === "delete" && (
        <ConfirmCall
          action={`Delete ${name}`}
          typed={name}
          call={(api) => api.consumers(bucket).delete(name)}
          onClose={() => setOpen(undefined)}
          done={`Consumer ${name} deleted`}
          onDone={() => {
            queries.removeQueries({ queryKey: ["consumer", bucket, name] });
            navigate({ to: "/consumers" });
          }}
        >
          <p>
            Its {keys ? plural(keys.total, "key") : "keys"}, managers and invites are deleted with it. Requests with its
            keys are rejected from now on.
          </p>
          <p>This cannot be undone. Subscriptions and recorded usage stay.</p>
        </ConfirmCall>
      )}
    </>
  );
}

/** Opens the portal as the customer sees it. The address works once, so it is requested when it is needed. */
function ViewPortal({ bucket, name }: { bucket: string; name: string }) {
  const view = useCall({ call: (api) => api.portal(bucket).view(name) });
  return (
    <>
      <Button icon={Eye} isBusy={view.isPending} onClick={() => view.mutate()}>
        View portal
      </Button>
      {(view.data || view.error) && (
        <Dialog
          title={`View the portal as ${name}`}
          onClose={() => view.reset()}
          footStart={<CopyAs of={view} />}
          foot={
            view.data && (
              <a
                className="button"
                data-kind="primary"
                href={view.data.url}
                target="_blank"
                rel="noreferrer"
                onClick={() => view.reset()}
              >
                <ExternalLink size={16} aria-hidden />
                Open portal
              </a>
            )
          }
        >
          {view.error && <ErrorNotice error={view.error} />}
          <p>You see what {name} sees and can change nothing. The audit log shows that you viewed it.</p>
          <p className="muted small">The link works once, for two minutes.</p>
        </Dialog>
      )}
    </>
  );
}
