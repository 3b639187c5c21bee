import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ban, ExternalLink, Eye, Pencil, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Consumer, Tollgate } from "../../../../client/index.ts";
import { Badge, Tags } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { ErrorNotice, Skeleton } from "../../../components/notice.tsx";
import { DayTime } from "../../../components/time.tsx";
import { formatMoney, plural } from "../../../lib/format.ts";
import { displayNameOf } from "../../queries/display-names.tsx";
import { usePortals } from "../../queries/portal.ts";
import { useSession } from "../../queries/session.tsx";
import { PageHead } from "../../shell/page.tsx";
import { AsCommand, ConfirmCall, CopyAs, useCall } from "../../shell/requests.tsx";
import { formatDue } from "../billing/invoice-state.tsx";
import { useCustomer, useOwed, useSubscriptionsOf } from "../billing/queries.ts";
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
              Since <DayTime time={consumer.createdOn} /> in {keyBucket}
            </span>
          ) : (
            <span>No consumer: it has no keys</span>
          )}
          {consumer?.isSuspended && <Badge tone="red">Suspended</Badge>}
          <Tags tags={consumer?.tags} />
        </p>
      </PageHead>
      <CustomerStateLine {...{ name, keyBucket, consumer, billed, chosen }} />
      <HeadFigures name={name} isLoading={billed.isPending} chosen={chosen} />
    </>
  );
}

interface HeadFiguresProps {
  name: string;
  isLoading: boolean;
  chosen: BilledCustomer | undefined;
}

function HeadFigures({ name, isLoading, chosen }: HeadFiguresProps) {
  if (!isLoading && chosen) return <BilledFigures name={name} bucket={chosen.bucketId} />;
  const none = isLoading ? undefined : "";
  return <FourFigures of={{ Plan: none, Status: none, "Amount due": none, Credit: none }} />;
}

function BilledFigures({ name, bucket }: { name: string; bucket: string }) {
  const plans = usePlans(bucket);
  const subscriptions = useSubscriptionsOf(bucket, name).data?.data;
  const open = useOwed(bucket, [name]).data?.open;
  const customer = useCustomer(bucket, name).data;
  const current = subscriptions?.filter(({ status }) => status !== "canceled" && status !== "incomplete-expired");
  const planIds = [...new Set(current?.flatMap((each) => each.planIds))];
  const last = current?.at(-1) ?? subscriptions?.at(-1);
  const late = open?.filter(({ failedOn }) => failedOn !== undefined) ?? [];
  return (
    <FourFigures
      of={{
        Plan: current && plans.data && planIds.map((id) => plans.data.find((plan) => plan.id === id)?.label).join(", "),
        Status: subscriptions && (last ? <SubscriptionStatus status={last.status} /> : ""),
        "Amount due": open && (
          <>
            {formatDue(open) || none} {late.length > 0 && <Badge tone="red">{formatDue(late)} overdue</Badge>}
          </>
        ),
        Credit:
          customer &&
          (customer.balances ?? []).map(({ amount, currency }) => formatMoney(amount, currency)).join(" · "),
      }}
    />
  );
}

const none = <span className="muted">None</span>;

/** Always four, so that the page does not move when they are loaded. Undefined while loading; an empty text is none. */
function FourFigures({ of: figures }: { of: Record<"Plan" | "Status" | "Amount due" | "Credit", ReactNode> }) {
  return (
    <dl className="head-figures">
      {Object.entries(figures).map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value === undefined ? <Skeleton width={72} /> : value || none}</dd>
        </div>
      ))}
    </dl>
  );
}

function ConsumerActions({ bucket, consumer }: { bucket: string; consumer: Consumer }) {
  const { deniedEdit } = useSession();
  const { name } = consumer;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [open, setOpen] = useState<"edit" | "suspend" | "delete">();
  const close = () => setOpen(undefined);
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
      {open === "edit" && <EditConsumer bucket={bucket} consumer={consumer} onClose={close} />}
      {open === "suspend" && <SuspendConsumer bucket={bucket} consumer={consumer} onClose={close} />}
      {open === "delete" && (
        <ConfirmCall
          action={`Delete ${name}`}
          typed={name}
          call={(api) => api.consumers(bucket).delete(name)}
          onClose={close}
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
