import { Button } from "../../components/button.tsx";
import { ChartSkeleton } from "../../components/chart.tsx";
import { LoadError } from "../../components/notice.tsx";
import { PageHead } from "../shell/page.tsx";
import { Checklist } from "./home/checklist.tsx";
import { Overview } from "./home/overview.tsx";
import { useDismissed, useEarlierTraffic, useProgress } from "./home/progress.ts";
import { Tiles } from "./home/tiles.tsx";

/** Shows the first steps until there is traffic, then the overview. */
export function Home() {
  const progress = useProgress();
  const earlier = useEarlierTraffic();
  const [isDismissed, setDismissed] = useDismissed();
  const error = progress.error ?? earlier.error;
  if (error)
    return (
      <>
        <PageHead title="Home" />
        <LoadError
          error={error}
          onRetry={() => {
            progress.refetch();
            earlier.refetch();
          }}
        />
      </>
    );
  if (!progress.data || earlier.data === undefined) return <Loading />;
  const isNew = !progress.data.hasTraffic && !earlier.data;
  if (isNew && !isDismissed)
    return (
      <>
        <PageHead
          title="Get to your first request"
          actions={<Button onClick={() => setDismissed(true)}>Dismiss</Button>}
        >
          <p>Four steps from an empty server to a guarded, metered API. Each turns green as soon as it is done.</p>
        </PageHead>
        <Checklist progress={progress.data} />
      </>
    );
  return (
    <>
      <PageHead
        title="Home"
        actions={isNew && <Button onClick={() => setDismissed(false)}>Show the first steps</Button>}
      />
      <Overview hasGateway={progress.data.hasGateway} />
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
