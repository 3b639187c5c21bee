import type { CanaryOptions, TrafficSplit } from "../../client/index.ts";
import type { None, Values } from "../arguments/command.ts";
import { amount, integer, oneOf, option } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

const usualMinimum = 100;

/** The options of a canary release, which `deploy --canary` and `traffic split` share. */
export const canaryOptions = {
  stickyBy: option("keep the requests of one client on one version of a canary release", oneOf("credential", "ip")),
  abortErrors: option("abort the canary release when this percentage of its last 60 seconds' requests failed", {
    ...amount,
    placeholder: "PERCENT",
  }),
  abortMinimum: option(`minimum number of requests in 60 seconds to decide; ${usualMinimum} by default`, integer),
};

type CanaryValues = Values<None, typeof canaryOptions>;

/** The rules of a canary release as the API expects them. */
export function canaryRules({ stickyBy, abortErrors, abortMinimum }: CanaryValues): Omit<TrafficSplit, "splits"> {
  if (abortMinimum !== undefined && abortErrors === undefined)
    throw new UsageError("--abort-minimum needs --abort-errors.");
  return {
    ...(stickyBy && { stickyBy }),
    ...(abortErrors !== undefined && {
      abort: { errorShare: abortErrors / 100, minimumRequests: abortMinimum ?? usualMinimum },
    }),
  };
}

/** The release of `deploy --canary`. Its rules mean nothing without it. */
export function canaryRelease(percent: number | undefined, values: CanaryValues): CanaryOptions | undefined {
  const rules = canaryRules(values);
  if (percent !== undefined) return { percent, ...rules };
  if (Object.keys(rules).length > 0) throw new UsageError("--sticky-by and --abort-errors need --canary.");
  return undefined;
}
