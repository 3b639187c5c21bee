import type { DeploymentVersionContents } from "../../../../client/index.ts";
import { plural } from "../../../lib/format.ts";
import { diffLines } from "../../../lib/line-diff.ts";
import { targetsOf } from "./deployed-routes.ts";

type Contents = DeploymentVersionContents["contents"];
type Route = Contents["routes"][number];

/** A route, policy or variable, and its change. */
interface VersionChange {
  subject: string;
  text: string;
}

/** Describes the changes between two versions in sentences. */
export function changesBetween(from: Contents, to: Contents): VersionChange[] {
  return [
    ...members(byRoute(from), byRoute(to), routeChange),
    ...members(from.policies, to.policies, policyChange),
    ...members(from.environment, to.environment, (before, after) => [`is ${after} instead of ${before}`]),
    ...textChange("Code", from.code, to.code),
    // Old versions were stored without their document.
    ...(from.document && to.document ? textChange("Document", documentLines(from), documentLines(to)) : []),
  ];
}

/** Formats the document: a generated one may be a single long line. */
export function documentLines({ document }: Contents): string {
  if (!document) return "";
  const { file, text } = document;
  const isOneLine = file.endsWith(".json") && !text.trimEnd().includes("\n");
  return isOneLine ? JSON.stringify(JSON.parse(text), null, 2) : text;
}

const byRoute = ({ routes }: Contents): Record<string, Route> =>
  Object.fromEntries(routes.map((route) => [`${route.method} ${route.path}`, route]));

function members<Value>(
  from: Record<string, Value>,
  to: Record<string, Value>,
  change: (before: Value, after: Value) => string[],
): VersionChange[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.flatMap((subject) => {
    const [before, after] = [own(from, subject), own(to, subject)];
    if (before === undefined) return [{ subject, text: "is added" }];
    if (after === undefined) return [{ subject, text: "goes away" }];
    if (isSame(before, after)) return [];
    return change(before, after).map((text) => ({ subject, text }));
  });
}

const own = <Value>(record: Record<string, Value>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function routeChange(before: Route, after: Route): string[] {
  const chain = ({ policies }: Route) => policies.join(" → ") || "none";
  const found: string[] = [];
  if (chain(before) !== chain(after)) found.push(`policies: ${chain(before)} become ${chain(after)}`);
  const [from, to] = [before, after].map((route) => targetsOf(route).join(", "));
  if (from !== to) found.push(`target: ${from} becomes ${to}`);
  if (before.timeoutSeconds !== after.timeoutSeconds)
    found.push(`timeout: ${before.timeoutSeconds} s becomes ${after.timeoutSeconds} s`);
  if (!isSame(before.validation, after.validation)) found.push("validates differently");
  return found;
}

function policyChange(before: Contents["policies"][string], after: Contents["policies"][string]): string[] {
  if (before.type !== after.type) return [`is of type ${after.type} instead of ${before.type}`];
  if (before.mode !== after.mode) return [after.mode === "observe" ? "observes instead of rejecting" : "rejects again"];
  return ["has other options"];
}

function textChange(subject: string, before: string | null, after: string | null): VersionChange[] {
  if (before === after) return [];
  const changed = diffLines(before ?? "", after ?? "").filter(({ kind }) => kind !== "same").length;
  return [{ subject, text: `differs in ${plural(changed, "line")}` }];
}
