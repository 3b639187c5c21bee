import { ChartSkeleton } from "../../components/chart.tsx";
import { LoadError } from "../../components/notice.tsx";
import { PageHead } from "../shell/page.tsx";
import { Checklist } from "./home/checklist.tsx";
import { Overview } from "./home/overview.tsx";
import { isDone, useProgress } from "./home/progress.ts";
import { Tiles } from "./home/tiles.tsx";

export function Home() {
  const progress = useProgress();
  if (progress.error)
    return (
      <>
        <PageHead title="Home" />
        <LoadError error={progress.error} onRetry={() => progress.refetch()} />
      </>
    );
  if (!progress.data) return <Loading />;
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

/** A placeholder with the layout of a server that is in use. */
function Loading() {
  return (
    <>
      <PageHead title="Home" />
      <section className="section" aria-busy="true">
        <div className="section-head section-head-loading" />
        <div className="stack">
          <Tiles all={undefined} consumers={undefined} />
          <div className="card">
            <ChartSkeleton />
          </div>
        </div>
      </section>
    </>
  );
}
