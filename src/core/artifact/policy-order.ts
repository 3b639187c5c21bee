/** Modules are identified by their path in the project. */
export function isModule(type: string): boolean {
  return type.includes("/");
}

const findsKey = ["api-key", "basic-auth", "oauth"];
const findsUser = [...findsKey, "jwt"];

/** Whether a policy may decide which callers see a response: it authenticates, or runs code of the project. */
function mayDeny(type: string): boolean {
  return findsUser.includes(type) || type === "permission" || type === "ip-filter" || isModule(type);
}

/** Whether a policy responds to every request, so that later policies are not reached. */
export function alwaysResponds(type: string | undefined): boolean {
  return type === "mock" || type === "redirect";
}

/**
 * Returns the policy after the cache at `at` that the cache would bypass: a response for one caller would be sent to
 * all. `types` are those of a route's policies, in order. Returns undefined if the order is correct.
 */
export function bypassedByCache(types: readonly (string | undefined)[], at: number): number | undefined {
  if (types[at] !== "cache") return undefined;
  const denying = types.findIndex((type, index) => index > at && type !== undefined && mayDeny(type));
  return denying === -1 ? undefined : denying;
}

/**
 * Whether the policy at `at` checks the permissions of a key without a previous policy that authenticates a key. It
 * would reject all requests.
 */
export function lacksKey(types: readonly (string | undefined)[], at: number): boolean {
  return types[at] === "permission" && !hasBefore(types, at, findsKey);
}

/**
 * Whether the policy at `at` consumes the quota of a consumer without a previous policy that authenticates a consumer.
 * It would reject all requests.
 */
export function lacksConsumer(types: readonly (string | undefined)[], at: number): boolean {
  return (types[at] === "quota" || types[at] === "usage") && !hasBefore(types, at, findsUser);
}

function hasBefore(types: readonly (string | undefined)[], at: number, wanted: readonly string[]): boolean {
  return types.slice(0, at).some((type) => type !== undefined && wanted.includes(type));
}
