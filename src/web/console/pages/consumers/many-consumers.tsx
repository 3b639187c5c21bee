import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { BulkConsumersResult } from "../../../../client/index.ts";
import { TypeToConfirm } from "../../../components/confirm.tsx";
import { bindInput, TextField } from "../../../components/field.tsx";
import { ErrorNotice, Notice, SkeletonLines } from "../../../components/notice.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { formatNumber, plural } from "../../../lib/format.ts";
import { type Pair, PairsEditor, tagsOf } from "../../components/pairs.tsx";
import { useSession } from "../../queries/session.tsx";
import { CallDialog, useCall } from "../../shell/requests.tsx";

type MeantConsumers = { names: string[] } | { where: Record<string, string> };

interface ManyConsumersProps {
  bucket: string;
  meant: MeantConsumers;
  kind: "tag" | "delete";
  onClose: () => void;
  onDone: () => void;
}

/** Changes or deletes many consumers, after a dry run has listed them. */
export function ManyConsumers({ bucket, meant, kind, onClose, onDone }: ManyConsumersProps) {
  const { api } = useSession();
  const [added, setAdded] = useState<Pair[]>([{ name: "", value: "" }]);
  const [removed, setRemoved] = useState("");
  const [typed, setTyped] = useState("");
  const consumers = api.consumers(bucket);
  const dryRun = useQuery({
    queryKey: ["consumers", bucket, "dry-run", meant],
    // The dry runs of both actions match the same consumers.
    queryFn: ({ signal }) => consumers.deleteMany({ ...meant, dryRun: true }, { signal }),
    staleTime: 0,
  });
  const preview = dryRun.data && "matched" in dryRun.data ? dryRun.data : undefined;
  const removeTags = removed.split(",").flatMap((name) => name.trim() || []);
  const addTags = tagsOf(added);
  const set = {
    addTags: Object.keys(addTags).length > 0 ? addTags : undefined,
    removeTags: removeTags.length > 0 ? removeTags : undefined,
  };
  const hasChange = kind === "delete" || set.addTags !== undefined || set.removeTags !== undefined;
  const change = useCall({
    call: (api) => {
      const consumers = api.consumers(bucket);
      return kind === "delete" ? consumers.deleteMany(meant) : consumers.updateMany({ ...meant, set });
    },
    done: (result) => doneText(result, kind),
    onSuccess: onDone,
  });
  const count = preview?.matched ?? 0;
  const verb = kind === "delete" ? "Delete" : "Change";
  const only = count === 1 ? preview!.sample[0]?.name : undefined;
  const expected = only ?? String(count);
  const isConfirmed = kind === "tag" || typed === expected;
  const isReady = preview !== undefined && count > 0 && hasChange && isConfirmed;
  return (
    <CallDialog
      title={kind === "delete" ? `Delete ${only ?? "consumers"}?` : "Change tags"}
      of={change}
      submit={`${verb} ${only ?? plural(count, "consumer")}`}
      kind={kind === "delete" ? "danger-fill" : "primary"}
      disabled={!isReady}
      onClose={onClose}
    >
      {dryRun.error && <ErrorNotice error={dryRun.error} />}
      {!dryRun.data && !dryRun.error && <SkeletonLines count={3} />}
      {preview && <Preview preview={preview} />}
      {kind === "tag" && (
        <>
          <div className="field">
            <span className="field-label">Add tags</span>
            <PairsEditor one="tag" pairs={added} onChange={setAdded} />
          </div>
          <TextField
            label="Remove tags"
            isOptional
            placeholder="beta, region"
            hint="Names, separated by commas."
            {...bindInput(removed, setRemoved, errorAt(change.errors, "/set/removeTags"))}
          />
        </>
      )}
      {kind === "delete" && preview && (
        <>
          <Notice kind="warning">
            {plural(preview.keys, "key")} {preview.keys === 1 ? "stops" : "stop"} working immediately; managers and
            invites go too. Subscriptions and recorded usage stay. This cannot be undone.
          </Notice>
          <TypeToConfirm expected={expected} value={typed} onChange={setTyped} />
        </>
      )}
    </CallDialog>
  );
}

type Matched = Extract<BulkConsumersResult, { matched: number }>;

function Preview({ preview: { matched, sample } }: { preview: Matched }) {
  if (matched === 0) return <Notice kind="warning">They no longer exist.</Notice>;
  const rest = matched - sample.length;
  return (
    <p>
      {plural(matched, "consumer")}: {sample.map(({ name }) => name).join(", ")}
      {rest > 0 && ` and ${formatNumber(rest)} more`}.{matched > 1000 && " A job changes them in the background."}
    </p>
  );
}

function doneText(result: BulkConsumersResult, kind: ManyConsumersProps["kind"]): string {
  if ("jobId" in result) return `Started the job ${result.jobId} for all of them`;
  const done = "results" in result ? result.results.filter(({ status }) => status !== "not_found").length : 0;
  return `${plural(done, "consumer")} ${kind === "delete" ? "deleted" : "changed"}`;
}
