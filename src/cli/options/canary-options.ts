import type { CanaryOptions, TrafficSplit } from "../../client/index.ts";
import { amount, integer, oneOf, option } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

const usualMinimum = 100;

export const percentage = {
  placeholder: "PERCENT",
  parse(text: string) {
    if (!/^\d{1,3}$/.test(text) || Number(text) > 100)
      throw new UsageError(`must be a whole number from 0 to 100, not "${text}"`);
    return Number(text);
  },
};

/** The options of a canary release, which `deploy --canary` and `traffic split` share. */
export const canaryOptions = {
  stickyBy: option("keep the requests of one client on one version of a canary release", oneOf("credential", "ip")),
  abortErrors: option("abort the canary release when this percentage of its last 60 seconds' requests failed", {
    ...amount,
    placeholder: "PERCENT",
  }),
  abortMinimum: option(`minimum number of requests in 60 seconds to decide; ${usualMinimum} by default`, integer),
};

interface CanaryValues {
  stickyBy: "credential" | "ip" | undefined;
  abortErrors: number | undefined;
  abortMinimum: number | undefined;
}

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
