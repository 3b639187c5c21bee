import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Tags } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { LoadError } from "../../components/notice.tsx";
import { SkeletonPage } from "../../components/skeleton.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { plural } from "../../lib/format.ts";
import { command } from "../../lib/shell.ts";
import { usePortals } from "../queries/portal.ts";
import { useSession } from "../queries/session.tsx";
import { PageHead } from "../shell/page.tsx";
import { AsCommand, CopyAs } from "../shell/requests.tsx";
import { ConsumerActivity } from "./consumers/activity.tsx";
import { ConsumerDetails } from "./consumers/details.tsx";
import { EditConsumer } from "./consumers/edit-consumer.tsx";
import { ConsumerKeys } from "./consumers/keys.tsx";
import { ConsumerManagers } from "./consumers/managers.tsx";
import { ConsumerUsage } from "./consumers/usage.tsx";
import { ViewPortal } from "./consumers/view-portal.tsx";

const route = getRouteApi("/frame/consumers/$bucket/$name");

export function ConsumerPage() {
  const { api, account, deniedEdit } = useSession();
  const { bucket, name } = route.useParams();
  const { tab = "keys" } = route.useSearch();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [open, setOpen] = useState<"edit" | "delete">();
  const consumer = useQuery({
    queryKey: ["consumer", bucket, name],
    queryFn: ({ signal }) => api.consumers(bucket).get(name, { signal }),
  });
  const portals = usePortals();
  if (consumer.error)
    return (
      <LoadError
        error={consumer.error}
        onRetry={() => consumer.refetch()}
        back={
          <Link className="button" to="/consumers" search={{ bucket }}>
            Show consumers
          </Link>
        }
      />
    );
  if (!consumer.data) return <SkeletonPage title={name} />;
  const { description, tags, createdOn } = consumer.data;
  const keys = queries.getQueryData<{ total: number }>(["keys", bucket, name]);
  return (
    <>
      <PageHead
        title={name}
        actions={
          <>
            <AsCommand
              request={{ path: `/v1/accounts/${account}/key-buckets/${bucket}/consumers/${name}` }}
              command={command("consumers", "show", name, "--bucket", bucket)}
            />
            {portals.data?.some(({ bucketName, isEnabled }) => isEnabled && bucketName === bucket) && (
              <ViewPortal bucket={bucket} name={name} />
            )}
            <Button denied={deniedEdit} onClick={() => setOpen("edit")}>
              <Pencil size={16} aria-hidden />
              Edit
            </Button>
            <Button kind="danger" denied={deniedEdit} onClick={() => setOpen("delete")}>
              <Trash2 size={16} aria-hidden />
              Delete
            </Button>
          </>
        }
      >
        {description && <p>{description}</p>}
        <p className="row row-wrap">
          <span>
            Since <RelativeTime time={createdOn} /> in {bucket}
          </span>
          <Tags tags={tags} />
        </p>
      </PageHead>
      <Tabs
        value={tab}
        onChange={(next) => navigate({ to: ".", search: { tab: next } })}
        tabs={[
          { value: "keys", label: "Keys", content: () => <ConsumerKeys bucket={bucket} name={name} /> },
          { value: "usage", label: "Usage", content: () => <ConsumerUsage name={name} /> },
          {
            value: "activity",
            label: "Activity",
            content: () => <ConsumerActivity id={consumer.data.id} name={name} />,
          },
          { value: "managers", label: "Managers", content: () => <ConsumerManagers bucket={bucket} name={name} /> },
          { value: "details", label: "Details", content: () => <ConsumerDetails consumer={consumer.data} /> },
        ]}
      />
      {open === "edit" && <EditConsumer bucket={bucket} consumer={consumer.data} onClose={() => setOpen(undefined)} />}
      {open === "delete" && (
        <Confirm
          title={`Delete ${name}?`}
          action={`Delete ${name}`}
          typed={name}
          footStart={
            <CopyAs
              request={{
                method: "DELETE",
                path: `/v1/accounts/${account}/key-buckets/${bucket}/consumers/${name}`,
              }}
              command={command("consumers", "delete", name, "--bucket", bucket)}
            />
          }
          run={() => api.consumers(bucket).delete(name)}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            queries.removeQueries({ queryKey: ["consumer", bucket, name] });
            queries.invalidateQueries({ queryKey: ["consumers"] });
            toast(`Consumer ${name} deleted`);
            navigate({ to: "/consumers" });
          }}
        >
          <p>
            Its {keys ? plural(keys.total, "key") : "keys"}, managers and invites are deleted with it. Requests with its
            keys are rejected from now on.
          </p>
          <p>This cannot be undone. Subscriptions and recorded usage stay.</p>
        </Confirm>
      )}
    </>
  );
}
