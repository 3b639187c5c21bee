import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { BulkKeysResult, ListedApiKey, Tollgate } from "../../../../client/index.ts";
import { TypeToConfirm } from "../../../components/confirm.tsx";
import { Dialog, FormDialog } from "../../../components/dialog.tsx";
import { ErrorNotice, Notice, SkeletonLines } from "../../../components/notice.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { formatNumber, plural, shownKey } from "../../../lib/format.ts";
import { useRead } from "../../queries/session.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import type { KeyWhere } from "./filter.ts";

/** Shows the progress of a job until it has ended. The job runs on the server, whether it is watched or not. */
function JobProgress({ id, done, onFinished }: { id: string; done: string; onFinished: () => void }) {
  const queries = useQueryClient();
  const job = useRead(["job", id], (api, { signal }) => api.job(id, { signal }), {
    refetchInterval: ({ state }) => (hasEnded(state.data?.state) ? false : 1000),
  });
  const { data } = job;
  const isEnded = hasEnded(data?.state);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the job ends
  useEffect(() => {
    if (!isEnded) return;
    onFinished();
    void queries.invalidateQueries();
  }, [isEnded]);
  if (job.error) return <ErrorNotice error={job.error} />;
  if (data?.state === "failed")
    return (
      <Notice kind="error">{`It stopped after ${formatNumber(data.done)} of ${formatNumber(data.total)}.`}</Notice>
    );
  if (data && isEnded)
    return (
      <>
        <Notice kind="success">{`${formatNumber(data.done - data.failed)} ${done}.`}</Notice>
        {data.failed > 0 && <Notice kind="warning">{`${plural(data.failed, "key")} had been deleted before.`}</Notice>}
      </>
    );
  return (
    <div className="stack stack-tight">
      <label className="stack stack-tight">
        <span className="number" role="status">
          {data ? `${formatNumber(data.done)} of ${formatNumber(data.total)}` : "Starting"}
        </span>
        <progress className="progress" max={data?.total ?? 1} value={data?.done ?? 0} />
      </label>
      <p className="muted">It continues when you leave this page, and after a restart of the server.</p>
    </div>
  );
}

const hasEnded = (state: string | undefined): boolean => state === "succeeded" || state === "failed";

export type BulkAction = "disable" | "enable" | "revoke";
export type BulkTarget = { ids: string[] } | { where: KeyWhere };

interface BulkKeysProps {
  bucket: string;
  action: BulkAction;
  target: BulkTarget;
  onClose: () => void;
  onChanged: () => void;
}

interface Words {
  verb: string;
  done: string;
  /** The result for one key, and for many. */
  one: string;
  many: string;
}

const words: Record<BulkAction, Words> = {
  disable: {
    verb: "Disable",
    done: "disabled",
    one: "Requests with it are rejected immediately. It can be enabled again.",
    many: "Requests with them are rejected immediately. They can be enabled again.",
  },
  enable: {
    verb: "Enable",
    done: "enabled",
    one: "Requests with it pass again, unless it has expired.",
    many: "Requests with them pass again, unless they have expired.",
  },
  revoke: {
    verb: "Revoke",
    done: "revoked",
    one: "It is deleted, and requests with it are rejected immediately. This cannot be undone.",
    many: "They are deleted, and requests with them are rejected immediately. This cannot be undone.",
  },
};

/** Above this number, the user types it to confirm, because many people are affected. */
const maxWithoutTyping = 10;

/** Shows the affected keys, runs the action, then shows its progress. */
export function BulkKeys({ bucket, action, target, onClose, onChanged }: BulkKeysProps) {
  const [typed, setTyped] = useState("");
  const send = (to: Tollgate, dryRun?: true): Promise<BulkKeysResult> => {
    const keys = to.bucketKeys(bucket);
    if (action === "revoke") return keys.delete({ ...target, dryRun });
    return keys.update({ ...target, set: { isEnabled: action === "enable" }, dryRun });
  };
  const preview = useRead(
    ["keys", bucket, "bulk", action, target],
    async (api) => (await send(api, true)) as { matched: number; sample: ListedApiKey[] },
    {
      gcTime: 0,
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
    },
  );
  const change = useCall({ call: (to) => send(to), onSuccess: onChanged });
  const { verb, one, many } = words[action];
  const { matched } = preview.data ?? {};
  const needsTyping = action === "revoke" && (matched ?? 0) > maxWithoutTyping;
  const isReady = matched !== undefined && matched > 0 && (!needsTyping || typed === String(matched));
  const [only] = matched === 1 ? preview.data!.sample : [];
  const object = only
    ? `key ${shownKey(only.key ?? only.id)}`
    : matched === undefined
      ? "keys"
      : plural(matched, "key");
  if (change.data) return <Outcome result={change.data} action={action} onClose={onClose} onChanged={onChanged} />;
  return (
    <FormDialog
      title={matched === undefined ? `${verb} keys` : `${verb} ${object}?`}
      isWide
      mutation={{ ...change, error: preview.error ?? change.error }}
      submit={matched === undefined ? verb : `${verb} ${plural(matched, "key")}`}
      kind={action === "enable" ? "primary" : "danger-fill"}
      disabled={!isReady}
      onClose={onClose}
      footStart={<CopyAs of={change} />}
    >
      <p>{matched === 1 ? one : many}</p>
      {preview.data ? <Sample {...preview.data} /> : !preview.error && <SkeletonLines />}
      {needsTyping && <TypeToConfirm expected={String(matched)} value={typed} onChange={setTyped} />}
    </FormDialog>
  );
}

function Sample({ matched, sample }: { matched: number; sample: ListedApiKey[] }) {
  const columns: Column<ListedApiKey>[] = [
    { label: "Key", render: ({ key, id }) => <span className="mono">{shownKey(key ?? id)}</span> },
    { label: "Consumer", render: ({ consumer }) => consumer.name },
    { label: "Description", render: ({ description }) => description },
    { label: "Last used", render: ({ lastUsedOn }) => <RelativeTime time={lastUsedOn} /> },
  ];
  if (matched === 0) return <Notice>No key matches any more: the keys were changed in the meantime.</Notice>;
  return (
    <div className="stack stack-tight">
      <Table caption="Keys that would be changed" columns={columns} rows={sample.slice(0, 8)} />
      {matched > 8 && <p className="muted small">And {formatNumber(matched - Math.min(sample.length, 8))} more.</p>}
    </div>
  );
}

function Outcome({
  result,
  action,
  onClose,
  onChanged,
}: Pick<BulkKeysProps, "action" | "onClose" | "onChanged"> & { result: BulkKeysResult }) {
  const { verb, done } = words[action];
  if ("jobId" in result)
    return (
      <Dialog title={`${verb} keys`} onClose={onClose} closeLabel="Close">
        <JobProgress id={result.jobId} done={`keys ${done}`} onFinished={onChanged} />
      </Dialog>
    );
  const results = "results" in result ? result.results : [];
  const gone = results.filter(({ status }) => status === "not_found").length;
  return (
    <Dialog title="Done" onClose={onClose} closeLabel="Close">
      <Notice kind="success">{`${plural(results.length - gone, "key")} ${done}.`}</Notice>
      {gone > 0 && <Notice kind="warning">{`${plural(gone, "key")} had been deleted before.`}</Notice>}
    </Dialog>
  );
}
