import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Plus, Webhook as WebhookIcon } from "lucide-react";
import type { Webhook } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { MiddleCut } from "../../components/middle-cut.tsx";
import { EmptyState, Notice } from "../../components/notice.tsx";
import { type Column, descriptionColumn, List } from "../../components/table.tsx";
import { DayTime } from "../../components/time.tsx";
import { plural } from "../../lib/format.ts";
import { useRead, useSession } from "../queries/session.tsx";
import { PageHead } from "../shell/page.tsx";
import { AsCommand } from "../shell/requests.tsx";
import { WebhookState } from "./webhooks/state.tsx";
import { WebhookForm } from "./webhooks/webhook-form.tsx";

const route = getRouteApi("/frame/webhooks");

export function WebhooksPage() {
  const { canEdit, deniedEdit } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/webhooks" });
  const webhooks = useRead(["webhooks"], (api, { signal }) => api.webhooks.list({ signal }).all(), {
    refetchInterval: 10_000,
  });
  const show = (id: string) => navigate({ to: "/webhooks/$id", params: { id } });
  const open = () => navigate({ search: { new: true } });
  const broken = webhooks.data?.filter(
    ({ disabledReason, failingSince, isEnabled }) => disabledReason || (isEnabled && failingSince),
  );
  const columns: Column<Webhook>[] = [
    {
      label: "Address",
      isText: "wide",
      render: ({ id, url }) => (
        <Link className="row-link mono" to="/webhooks/$id" params={{ id }}>
          <MiddleCut text={url} />
        </Link>
      ),
    },
    { label: "State", isLead: true, render: (webhook) => <WebhookState webhook={webhook} /> },
    { label: "Events", isText: true, isMinor: true, render: ({ events }) => <Events events={events} /> },
    descriptionColumn({ isMinor: true }),
    { label: "Created", render: ({ createdOn }) => <DayTime time={createdOn} /> },
  ];
  return (
    <>
      <PageHead
        title="Webhooks"
        actions={
          <>
            <AsCommand call={(api) => api.webhooks.list().page()} />
            <Button icon={Plus} kind="primary" denied={deniedEdit} onClick={open}>
              New webhook
            </Button>
          </>
        }
      >
        <p>URLs that receive signed events.</p>
      </PageHead>
      {broken !== undefined && broken.length > 0 && (
        <div className="first-command">
          <Notice kind="error">
            {broken.length === 1
              ? "One webhook does not get its messages. Open it to see the responses of its URL."
              : `${plural(broken.length, "webhook")} do not get their messages. Open one to see the responses of its URL.`}
          </Notice>
        </div>
      )}
      <List
        caption="Webhooks"
        of={webhooks}
        columns={columns}
        onOpen={({ id }) => show(id)}
        skeletonRows={3}
        empty={
          <EmptyState
            icon={WebhookIcon}
            title="No webhooks yet"
            guide="webhooks"
            action={
              <Button kind="primary" denied={deniedEdit} onClick={open}>
                Create the first webhook
              </Button>
            }
          >
            A webhook lets a program of yours know of events: a rolled key, a quota that is nearly used up, a failed
            build.
          </EmptyState>
        }
      />
      {search.new && canEdit && <WebhookForm onClose={() => navigate({ search: {} })} onCreated={show} />}
    </>
  );
}

function Events({ events }: { events: string[] }) {
  const text = events.includes("*") ? "Everything" : events.join(", ");
  return <span title={text}>{text}</span>;
}
