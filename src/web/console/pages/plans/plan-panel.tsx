import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Plan } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Copyable } from "../../../components/copy.tsx";
import { Facts } from "../../../components/facts.tsx";
import { Notice, NotLoaded } from "../../../components/notice.tsx";
import { SidePanel } from "../../../components/side-panel.tsx";
import { PlainTable } from "../../../components/table.tsx";
import { DayTime } from "../../../components/time.tsx";
import { formatFee, formatNumber, formatRate, formatRollover, plural } from "../../../lib/format.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { ConfirmCall } from "../../shell/requests.tsx";
import { PlanForm } from "./plan-form.tsx";

function beyond({ rates = {}, price }: Plan, meter: string): string {
  return Object.hasOwn(rates, meter) ? formatRate(rates[meter]!, price?.currency ?? "") : "no more";
}

export function PlanPanel({ bucket, id, onClose }: { bucket: string; id: string; onClose: () => void }) {
  const { deniedBill } = useSession();
  const [open, setOpen] = useState<"edit" | "delete">();
  const plan = useRead(["plan", bucket, id], (api, { signal }) => api.plans(bucket).get(id, { signal }));
  const { data } = plan;
  return (
    <SidePanel title={data?.label ?? "Plan"} onClose={onClose}>
      {(plan.error || !data) && <NotLoaded of={plan} />}
      {data && (
        <>
          <div className="row">
            <Button denied={deniedBill} onClick={() => setOpen("edit")}>
              Edit plan
            </Button>
            <Button kind="danger" denied={deniedBill} onClick={() => setOpen("delete")}>
              Delete
            </Button>
          </div>
          <Facts
            of={{
              Price: data.price ? formatFee(data.price) : "None",
              "At a renewal":
                data.rollover &&
                Object.entries(data.rollover).map(([name, rollover]) => (
                  <div key={name}>
                    {data.meters[name]?.label ?? name}: {formatRollover(rollover)}
                  </div>
                )),
              Features:
                data.features &&
                Object.entries(data.features)
                  .map(([name, value]) => (value === true ? name : `${name}: ${value}`))
                  .join(", "),
              "In the portal": data.price && (data.isPublic ? "Customers can choose it" : "Hidden"),
              "External id": <Copyable text={data.planExternalId} />,
              Id: <Copyable text={data.id} />,
              Trial: data.trialDays
                ? `${plural(data.trialDays, "day")}, then ${data.trialEndStatus ?? "active"}`
                : "None",
              Changed: <DayTime time={data.updatedOn} />,
            }}
          />
          <section className="stack stack-tight">
            <h3>Meters</h3>
            <PlainTable
              caption="Meters"
              rows={Object.entries(data.meters)}
              keyOf={([name]) => name}
              columns={[
                { label: "Meter", render: ([name]) => <span className="mono">{name}</span> },
                { label: "Label", render: ([, { label }]) => label },
                { label: "Limit", isNumber: true, render: ([, { max }]) => formatNumber(max) },
                ...(data.rates
                  ? [{ label: "Beyond it", render: ([name]: [string, unknown]) => beyond(data, name) }]
                  : []),
              ]}
            />
          </section>
          <Link to="/subscriptions" search={{ bucket, plan: id }}>
            Subscriptions to this plan
          </Link>
        </>
      )}
      {data && open === "edit" && <PlanForm bucket={bucket} plan={data} onClose={() => setOpen(undefined)} />}
      {data && open === "delete" && (
        <ConfirmCall
          action={`Delete ${data.label}`}
          isImpossible={data.hasSubscriptions}
          call={(api) => api.plans(bucket).delete(id)}
          onClose={() => setOpen(undefined)}
          done={`Plan ${data.label} deleted`}
          onDone={onClose}
        >
          {data.hasSubscriptions ? (
            <Notice kind="warning">
              It has subscriptions. Move them to another plan first; until then it cannot be deleted.
            </Notice>
          ) : (
            <p>It has no subscribers. This cannot be undone.</p>
          )}
        </ConfirmCall>
      )}
    </SidePanel>
  );
}
