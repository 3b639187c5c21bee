import { Button } from "../../components/button.tsx";
import { ChartSkeleton } from "../../components/chart.tsx";
import { LoadError } from "../../components/notice.tsx";
import { PageHead } from "../shell/page.tsx";
import { Checklist } from "./home/checklist.tsx";
import { GoLive } from "./home/go-live.tsx";
import { Overview } from "./home/overview.tsx";
import { Tiles } from "./home/tiles.tsx";
import { useDismissed, useOverview } from "./home/use-overview.ts";

/** Shows the first steps until there is traffic, then the overview. */
export function Home() {
  const { data, error } = useOverview();
  const { isDismissed, setDismissed } = useDismissed();
  if (!data)
    return error ? (
      <>
        <PageHead title="Home" />
        <LoadError error={error} />
      </>
    ) : (
      <Loading />
    );
  const isNew = !data.firstSteps.hasTraffic;
  if (isNew && !isDismissed("first steps"))
    return (
      <>
        <PageHead
          title="Get to your first request"
          actions={<Button onClick={() => setDismissed("first steps", true)}>Dismiss</Button>}
        >
          <p>Four steps from an empty server to a guarded, metered API. Each turns green as soon as it is done.</p>
        </PageHead>
        <Checklist steps={data.firstSteps} />
      </>
    );
  return (
    <>
      <PageHead
        title="Home"
        actions={isNew && <Button onClick={() => setDismissed("first steps", false)}>Show the first steps</Button>}
      />
      <Overview overview={data}>{!isNew && <GoLive overview={data} />}</Overview>
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
