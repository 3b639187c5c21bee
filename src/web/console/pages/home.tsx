import { LoadError } from "../../components/notice.tsx";
import { SkeletonLines } from "../../components/skeleton.tsx";
import { PageHead } from "../shell/page.tsx";
import { Checklist } from "./home/checklist.tsx";
import { Overview } from "./home/overview.tsx";
import { isDone, useProgress } from "./home/progress.ts";

export function Home() {
  const progress = useProgress();
  if (progress.error) return <LoadError error={progress.error} onRetry={() => progress.refetch()} />;
  if (!progress.data) return <SkeletonLines count={6} />;
  const isNew = !isDone(progress.data);
  return (
    <>
      <PageHead title={isNew ? "Get to your first request" : "Home"}>
        {isNew && (
          <p>Four steps from an empty server to a guarded, metered API. Each turns green as soon as it is done.</p>
        )}
      </PageHead>
      {isNew && <Checklist progress={progress.data} />}
      {progress.data.gateway && <Overview />}
    </>
  );
}
