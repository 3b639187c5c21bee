import { Button } from "../../../components/button.tsx";
import { Notice } from "../../../components/notice.tsx";
import { isLive } from "../../queries/gateway.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { usePlans } from "../subscriptions/plans.ts";

/** The contents of a version are large. */
const looked = 10;

/** The meters of a bucket by name: whether routes of the newest deployments count them, and the plans that have them. */
export function useMetersInUse(bucket: string | undefined) {
  const { canEdit, isLimited } = useSession();
  const plans = usePlans(bucket);
  const counted = useRead(
    ["deployments", "counted meters", bucket],
    async (api, { signal }) => {
      const { id, name } = await api.metering.get(bucket!, { signal });
      const { data } = await api.deployments.listAll({ limit: looked, signal }).page();
      const versions = await Promise.all(
        data
          .filter((deployment) => isLive(deployment) && deployment.activeVersion !== undefined)
          .map((deployment) => api.deployments.version(deployment.name, deployment.activeVersion!, { signal })),
      );
      return versions.flatMap(({ contents }) =>
        Object.values(contents.policies).flatMap(({ options }) => {
          const { bucketId, meters } = options as { bucketId?: string; meters?: object };
          return meters && (bucketId === id || bucketId === name) ? Object.keys(meters) : [];
        }),
      );
    },
    {
      // Only editors of the account may read the options of policies.
      enabled: bucket !== undefined && canEdit && !isLimited,
      staleTime: 60_000,
    },
  );
  const meters = new Map<string, { isCounted: boolean; plans: string[]; label: string }>();
  const known = (name: string) => {
    const meter = meters.get(name) ?? { isCounted: false, plans: [], label: "" };
    meters.set(name, meter);
    return meter;
  };
  for (const name of counted.data ?? []) known(name).isCounted = true;
  for (const plan of plans.data ?? [])
    for (const [name, { label = "" }] of Object.entries(plan.meters)) {
      known(name).plans.push(plan.label);
      known(name).label ||= label;
    }
  return meters;
}

interface Props {
  inUse: ReturnType<typeof useMetersInUse>;
  /** The names in the form. */
  names: string[];
  onAdd: (name: string, label: string) => void;
}

/** Requests that take from a meter that a plan lacks are rejected: says so before the plan is saved. */
export function LackingMeters({ inUse, names, onAdd }: Props) {
  const lacking = [...inUse].filter(([name]) => !names.includes(name));
  if (lacking.length === 0) return null;
  return (
    <Notice kind={lacking.some(([, { isCounted }]) => isCounted) ? "warning" : "info"}>
      {lacking.map(([name, { isCounted, plans, label }]) => (
        <p key={name}>
          This plan lacks <code>{name}</code>
          {isCounted ? ", which routes count: its subscribers' requests to them are rejected." : ""}
          {!isCounted &&
            `, which ${plans.length === 1 ? `the plan ${plans[0]} has` : `${plans.length} other plans have`}.`}{" "}
          <Button isSmall onClick={() => onAdd(name, label)}>
            Add {name}
          </Button>
        </p>
      ))}
    </Notice>
  );
}
