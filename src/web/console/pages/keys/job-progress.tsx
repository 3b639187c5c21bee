import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { formatNumber, plural } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";

/** Shows the progress of a job until it has ended. The job runs on the server, whether it is watched or not. */
export function JobProgress({ id, done, onFinished }: { id: string; done: string; onFinished: () => void }) {
  const { api } = useSession();
  const job = useQuery({
    queryKey: ["job", id],
    queryFn: ({ signal }) => api.job(id, { signal }),
    refetchInterval: ({ state }) => (hasEnded(state.data?.state) ? false : 1000),
  });
  const { data } = job;
  const isEnded = hasEnded(data?.state);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the job ends
  useEffect(() => {
    if (isEnded) onFinished();
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
