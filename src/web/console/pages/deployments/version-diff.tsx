import type { DeploymentVersionContents } from "../../../../client/index.ts";
import { Diff } from "../../../components/diff.tsx";
import { LoadError, Notice } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { changesBetween, documentLines } from "./version-changes.ts";

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
export function VersionDiff({ name, from, to }: { name: string; from: number; to: number }) {
  const { canEdit } = useSession();
  const before = useContents(name, from);
  const after = useContents(name, to);
  const error = before.error ?? after.error;
  if (!canEdit) return <Notice>Versions may contain credentials: only editors and admins may compare them.</Notice>;
  if (error) return <LoadError error={error} />;
  if (!before.data || !after.data) return <SkeletonLines />;
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
