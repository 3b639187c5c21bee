/** Modules are named by their path in the project. */
export function isModule(type: string): boolean {
  return type.includes("/");
}

const findsKey = ["api-key", "basic-auth"];
const findsUser = [...findsKey, "jwt"];

/** Whether it may decide who sees a response: it authenticates, or runs code of the project. */
function mayDeny(type: string): boolean {
  return findsUser.includes(type) || type === "permission" || type === "ip-filter" || isModule(type);
}

/** Whether it responds to every request: nothing after it is reached. */
export function alwaysResponds(type: string | undefined): boolean {
  return type === "mock" || type === "redirect";
}

/**
 * The policy behind the one at `at` that a cache there would undo: what it let one caller see would be given to all. Types are
 * those of a route's policies, in their order; undefined where the order is good.
 */
export function undoneByCache(types: readonly (string | undefined)[], at: number): number | undefined {
  if (types[at] !== "cache") return undefined;
  const denying = types.findIndex((type, index) => index > at && type !== undefined && mayDeny(type));
  return denying === -1 ? undefined : denying;
}

/** Whether the policy at `at` checks the permissions of a key that no policy before it has found: it would reject everything. */
export function lacksKey(types: readonly (string | undefined)[], at: number): boolean {
  return types[at] === "permission" && !hasBefore(types, at, findsKey);
}

/** Whether the policy at `at` takes from the quota of a consumer that no policy before it has found: it rejects everything. */
export function lacksConsumer(types: readonly (string | undefined)[], at: number): boolean {
  return (types[at] === "quota" || types[at] === "usage") && !hasBefore(types, at, findsUser);
}

function hasBefore(types: readonly (string | undefined)[], at: number, wanted: readonly string[]): boolean {
  return types.slice(0, at).some((type) => type !== undefined && wanted.includes(type));
}
