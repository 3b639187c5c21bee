import { getRouteApi } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { useState } from "react";
import type { ConfigurationPlan, ConfigurationStep } from "../../../client/index.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Diff } from "../../components/diff.tsx";
import { EmptyState, NotLoaded } from "../../components/notice.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { plural } from "../../lib/format.ts";
import { useRead, useSession } from "../queries/session.tsx";
import { PageHead } from "../shell/page.tsx";
import { ConfirmCall } from "../shell/requests.tsx";

const route = getRouteApi("/frame/configuration/$planId");

/** A plan of `tollgate diff` or `apply`, by its link. */
export function ConfigurationPlanPage() {
  const { planId } = route.useParams();
  const plan = useRead(["configuration", planId], (api, { signal }) => api.configuration.getPlan(planId, { signal }), {
    refetchInterval: 10_000,
  });
  if (plan.error || !plan.data) return <NotLoaded of={plan} lines={6} />;
  const { steps } = plan.data;
  return (
    <>
      <Head plan={plan.data} />
      {steps.length === 0 && (
        <EmptyState icon={Check} title="Nothing to change">
          The account matched the configuration when it was planned.
        </EmptyState>
      )}
      <div className="stack">
        {steps.map((step) => (
          <StepChanges key={`${step.kind} ${placeOf(step)}`} step={step} />
        ))}
      </div>
    </>
  );
}

const tones: Record<ConfigurationPlan["status"], Tone> = { planned: "accent", applied: "green", expired: "grey" };

function Head({ plan }: { plan: ConfigurationPlan }) {
  const { deniedEdit } = useSession();
  const [isOpen, setOpen] = useState(false);
  const { planId, status, steps, as, createdOn, expiresOn, appliedOn } = plan;
  const close = () => setOpen(false);
  return (
    <>
      <PageHead
        title={
          <span className="row row-wrap">
            Configuration plan <Badge tone={tones[status]}>{status}</Badge>
          </span>
        }
        actions={
          status === "planned" &&
          steps.length > 0 && (
            <Button kind="primary" denied={deniedEdit} onClick={() => setOpen(true)}>
              Apply {plural(steps.length, "step")}
            </Button>
          )
        }
      >
        <p>
          Planned <RelativeTime time={createdOn} />
          {as !== undefined && ` as ${as}`}
          {status === "planned" && (
            <>
              , expires <RelativeTime time={expiresOn} />
            </>
          )}
          {appliedOn !== undefined && (
            <>
              , applied <RelativeTime time={appliedOn} />
            </>
          )}
          .
        </p>
      </PageHead>
      {isOpen && (
        <ConfirmCall
          title="Apply this plan?"
          action={`Apply ${plural(steps.length, "step")}`}
          isSafe={!steps.some(({ action }) => action === "delete")}
          call={(api) => api.configuration.apply(planId)}
          onClose={close}
        >
          <p>All steps are applied, or none. If a resource has changed since it was planned, nothing is applied.</p>
        </ConfirmCall>
      )}
    </>
  );
}

function StepChanges({ step }: { step: ConfigurationStep }) {
  const { action, kind, before, after, notes = [], affectedSubscriptions: affected } = step;
  const customers = affected?.data.map(({ customerKey }) => customerKey).join(", ");
  return (
    <div className="stack stack-tight">
      <Diff label={`${labels[action]} ${kind} ${placeOf(step)}`} before={linesOf(before)} after={linesOf(after)} />
      {notes.map((note) => (
        <p className="small muted" key={note}>
          {note}
        </p>
      ))}
      {affected && (
        <p className="small">
          Lower limits for {plural(affected.total, "subscription")}: {customers}
          {affected.total > affected.data.length && ", …"}
        </p>
      )}
    </div>
  );
}

const labels: Record<ConfigurationStep["action"], string> = { create: "Create", update: "Update", delete: "Delete" };
const placeOf = ({ parent, name }: ConfigurationStep) => (parent === undefined ? name : `${parent} ${name}`);
const linesOf = (entry: object | undefined) => (entry === undefined ? "" : JSON.stringify(entry, null, 2));
