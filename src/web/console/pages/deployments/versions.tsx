import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { GitCompare, History } from "lucide-react";
import { useState } from "react";
import type { DeploymentVersionContents } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Diff } from "../../../components/diff.tsx";
import { FilterSelect } from "../../../components/filter-select.tsx";
import { EmptyState, Notice, NotLoaded } from "../../../components/notice.tsx";
import { ExactTime } from "../../../components/time.tsx";
import { formatBytes, plural } from "../../../lib/format.ts";
import { diffLines } from "../../../lib/line-diff.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { targetsOf } from "./deployed-routes.ts";

const route = getRouteApi("/frame/deployments/$name");

export function useVersions(name: string) {
  return useRead(["deployment", name, "versions"], async (api, { signal }) =>
    (await api.deployments.versions(name, { signal }).all()).reverse(),
  );
}

/** The built versions, newest first. Each can be activated again, and any two can be compared. */
export function DeploymentVersions({ name, onRollBack }: { name: string; onRollBack: (version: number) => void }) {
  const { deniedEdit } = useSession();
  const search = route.useSearch();
  const versions = useVersions(name);
  if (versions.error || !versions.data) return <NotLoaded of={versions} />;
  if (versions.data.length === 0)
    return (
      <EmptyState icon={History} title="No versions yet" guide="gateway-project">
        Every successful build creates a version. You can roll back to earlier ones.
      </EmptyState>
    );
  const numbers = versions.data.map(({ number }) => number);
  const active = versions.data.find(({ isActive }) => isActive)?.number;
  const [from, to] = [Number(search.from), Number(search.to)];
  return (
    <div className="stack">
      {numbers.length > 1 && <Compare key={`${search.from} ${search.to}`} numbers={numbers} from={from} to={to} />}
      {from > 0 && to > 0 && <VersionDiff name={name} from={from} to={to} />}
      <ol className="timeline card">
        {versions.data.map(({ number, createdOn, routes, artifact, isActive, author, note }) => (
          <li key={number}>
            <span className="dot" data-active={isActive || undefined} />
            <div>
              <div className="row">
                <span className="strong">Version {number}</span>
                {isActive && <Badge tone="green">Live</Badge>}
              </div>
              {note && <p className="version-note">{note}</p>}
              <div className="small muted row row-wrap">
                {author && <span>by {author.name ?? author.type}</span>}
                <ExactTime time={createdOn} />
                <span>{plural(routes, "route")}</span>
                <span>{formatBytes(artifact.bytes)}</span>
                <code title={artifact.sha256}>{artifact.sha256.slice(0, 12)}</code>
              </div>
            </div>
            {!isActive && (
              <Button isSmall denied={deniedEdit} onClick={() => onRollBack(number)}>
                {switchLabel(number, active)} {number}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The label for switching to a version: after a roll-back, some versions are newer than the active one. */
export function switchLabel(version: number, active: number | undefined): string {
  return active !== undefined && version > active ? "Go forward to" : "Roll back to";
}

/** Selects the two versions; by default the newest and the previous one. */
function Compare({ numbers, from, to }: { numbers: number[]; from: number; to: number }) {
  const navigate = useNavigate();
  const [old = "", setOld] = useState<string | undefined>(String(from || numbers[1]));
  const [next = "", setNext] = useState<string | undefined>(String(to || numbers[0]));
  const versions = numbers.map((number) => ({ value: String(number), label: `Version ${number}` }));
  return (
    <div className="compare">
      <FilterSelect label="Compare version" isNarrow value={old} options={versions} onChange={setOld} />
      <span className="muted">with</span>
      <FilterSelect label="With version" isNarrow value={next} options={versions} onChange={setNext} />
      <Button
        icon={GitCompare}
        disabled={old === next}
        onClick={() => navigate({ to: ".", search: { tab: "versions", from: old, to: next } })}
      >
        Compare
      </Button>
    </div>
  );
}

/** Versions are immutable, so their contents are cached as long as the page is open. */
export function useContents(name: string, version: number | undefined) {
  const { canEdit } = useSession();
  return useRead(["version", name, version], (api, { signal }) => api.deployments.version(name, version!, { signal }), {
    enabled: version !== undefined && canEdit,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

type Contents = DeploymentVersionContents["contents"];

/** Compares two versions: document, routes, policies, variables and code. */
function VersionDiff({ name, from, to }: { name: string; from: number; to: number }) {
  const { canEdit } = useSession();
  const before = useContents(name, from);
  const after = useContents(name, to);
  const error = before.error ?? after.error;
  if (!canEdit) return <Notice>Versions may contain credentials: only editors and admins may compare them.</Notice>;
  if (error || !before.data || !after.data) return <NotLoaded of={{ error }} />;
  const [old, next] = [before.data.contents, after.data.contents];
  const changes = changesBetween(old, next);
  return (
    <div className="stack">
      <h2>
        Version {from} → version {to}
      </h2>
      <ChangesInWords changes={changes} />
      {(!old.document || !next.document) && (
        <p className="muted small">
          Version {old.document ? to : from} was built before OpenAPI documents were kept: they cannot be compared.
        </p>
      )}
      {changes.length > 0 &&
        parts
          .filter(({ label }) => label !== "Document" || (old.document && next.document))
          .map(({ label, text }) => <Diff key={label} label={label} before={text(old)} after={text(next)} />)}
    </div>
  );
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const parts: { label: string; text: (contents: Contents) => string }[] = [
  { label: "Document", text: documentLines },
  { label: "Routes", text: ({ routes }) => json(routes) },
  { label: "Policies", text: ({ policies }) => json(policies) },
  { label: "Variables", text: ({ environment }) => json(environment) },
  { label: "Code", text: ({ code }) => code ?? "" },
];

export function ChangesInWords({ changes }: { changes: ReturnType<typeof changesBetween> }) {
  if (changes.length === 0)
    return <p className="muted">Document, routes, policies, variables and code are the same.</p>;
  return (
    <ul className="stack stack-tight small">
      {changes.map(({ subject, text }) => (
        <li key={`${subject} ${text}`}>
          <code>{subject}</code> <span className="muted">{text}</span>
        </li>
      ))}
    </ul>
  );
}

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
function documentLines({ document }: Contents): string {
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

const own = <Value,>(record: Record<string, Value>, name: string): Value | undefined =>
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
