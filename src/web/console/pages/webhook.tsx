import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Ellipsis, History, KeyRound, Pencil, Power, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Webhook } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import { Copyable } from "../../components/copy.tsx";
import { Facts } from "../../components/facts.tsx";
import { Choices, optionsOf } from "../../components/field.tsx";
import { Menu } from "../../components/menu.tsx";
import { ErrorNotice, LoadError, Notice, SkeletonLines } from "../../components/notice.tsx";
import { DayTime } from "../../components/time.tsx";
import { useRead, useSession } from "../queries/session.tsx";
import { PageHead, Section } from "../shell/page.tsx";
import { usePanel } from "../shell/panel-links.tsx";
import { AsCommand, CallDialog, ConfirmCall, useCall } from "../shell/requests.tsx";
import { Deliveries, type DeliverySearch } from "./webhooks/deliveries.tsx";
import { DeliveryPanel } from "./webhooks/delivery-panel.tsx";
import { Replay } from "./webhooks/replay.tsx";
import { WebhookState, WebhookTrouble } from "./webhooks/state.tsx";
import { SecretReveal, WebhookForm } from "./webhooks/webhook-form.tsx";

const route = getRouteApi("/frame/webhooks/$id");

type Open = "edit" | "switch" | "rotate" | "replay" | "delete";

export function WebhookPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/webhooks/$id" });
  const webhook = useRead(["webhooks", id], (api, { signal }) => api.webhooks.get(id, { signal }), {
    refetchInterval: 10_000,
  });
  const panel = usePanel("delivery");
  const set = (changes: DeliverySearch) => navigate({ search: (old) => ({ ...old, ...changes }) as typeof old });
  if (webhook.error)
    return (
      <LoadError
        error={webhook.error}
        back={
          <Link className="button" to="/webhooks">
            Show webhooks
          </Link>
        }
      />
    );
  if (!webhook.data) return <SkeletonLines count={6} />;
  return (
    <>
      <Head webhook={webhook.data} onTested={panel.open} />
      <WebhookFacts webhook={webhook.data} />
      <Section title="Deliveries">
        <Deliveries webhookId={id} search={search} onSearch={set} />
      </Section>
      {panel.shown && <DeliveryPanel webhookId={id} deliveryId={panel.shown} onClose={panel.close} />}
    </>
  );
}

function Head({ webhook, onTested }: { webhook: Webhook; onTested: (delivery: string) => void }) {
  const { deniedEdit } = useSession();
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { id, url, isEnabled } = webhook;
  const test = useCall({ call: (api) => api.webhooks.test(id), onSuccess: (delivery) => onTested(delivery.id) });
  const action = (what: Open, label: string, icon: typeof Pencil, isDanger = false) => ({
    label,
    icon,
    isDanger,
    denied: deniedEdit,
    onSelect: () => setOpen(what),
  });
  return (
    <>
      <PageHead
        title={
          <span className="row row-wrap">
            <span className="wrap-anywhere">{url}</span>
            <WebhookState webhook={webhook} />
          </span>
        }
        actions={
          <>
            <AsCommand call={(api) => api.webhooks.test(id)} />
            <Button icon={Send} denied={deniedEdit} isBusy={test.isPending} onClick={() => test.mutate()}>
              Send test
            </Button>
            <Button icon={Pencil} denied={deniedEdit} onClick={() => setOpen("edit")}>
              Edit
            </Button>
            <Menu
              trigger={<Button icon={Ellipsis} isIcon aria-label="More actions" />}
              actions={[
                action("switch", isEnabled ? "Disable" : "Enable", Power),
                action("rotate", "Rotate secret", KeyRound),
                action("replay", "Replay messages", History),
                action("delete", "Delete", Trash2, true),
              ]}
            />
          </>
        }
      >
        {webhook.description && <p>{webhook.description}</p>}
      </PageHead>
      <div className="stack">
        {test.error && <ErrorNotice error={test.error} />}
        <WebhookTrouble webhook={webhook} />
      </div>
      {open === "edit" && <WebhookForm webhook={webhook} onClose={close} />}
      {open === "switch" && <SwitchWebhook webhook={webhook} onClose={close} />}
      {open === "rotate" && <RotateSecret webhook={webhook} onClose={close} />}
      {open === "replay" && <Replay webhook={webhook} onClose={close} />}
      {open === "delete" && (
        <DeleteWebhook webhook={webhook} onClose={close} onDone={() => navigate({ to: "/webhooks" })} />
      )}
    </>
  );
}

function WebhookFacts({ webhook: { id, events, createdOn, updatedOn } }: { webhook: Webhook }) {
  return (
    <Facts
      className="card section-tight"
      of={{
        Events: (
          <span className="row row-wrap">
            {events.map((event) => (
              <span className="tag" key={event}>
                <span>{event === "*" ? "Everything" : event}</span>
              </span>
            ))}
          </span>
        ),
        Id: <Copyable text={id} />,
        Created: (
          <>
            <DayTime time={createdOn} />, changed <DayTime time={updatedOn} />
          </>
        ),
      }}
    />
  );
}

/** Creates a new secret. Messages can have signatures of both secrets for a while, so that the receiver can switch. */
function RotateSecret({ webhook: { id, url }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [grace, setGrace] = useState("86400");
  const graceSeconds = Number(grace);
  const rotate = useCall({ call: (api) => api.webhooks.rotateSecret(id, { graceSeconds }) });
  if (rotate.data) return <SecretReveal title="The new secret" secret={rotate.data.secret} onClose={onClose} />;
  return (
    <CallDialog
      title="Rotate the secret?"
      of={rotate}
      submit="Rotate secret"
      kind={graceSeconds === 0 ? "danger-fill" : "primary"}
      onClose={onClose}
      blocksClosing
    >
      <p className="wrap-anywhere">
        Messages to {url} are signed with a new secret from now on. It is shown once, in the next step.
      </p>
      <Choices
        legend="Keep signing with the old secret"
        name="grace"
        value={grace}
        onChange={setGrace}
        options={optionsOf({ 0: "No", 3600: "For 1 hour", 86400: "For 1 day", 604800: "For 7 days" })}
      />
      <Notice kind={graceSeconds === 0 ? "warning" : "info"}>
        {graceSeconds === 0
          ? "Until your receiver has the new secret, it cannot verify any message. Choose this for a leaked secret."
          : "During this time, each message has both signatures, and your receiver can verify either."}
      </Notice>
    </CallDialog>
  );
}

interface ConfirmationProps {
  webhook: Webhook;
  onClose: () => void;
}

/** Disables an enabled webhook, or enables a disabled one. */
function SwitchWebhook({ webhook: { id, isEnabled }, onClose }: ConfirmationProps) {
  const verb = isEnabled ? "Disable" : "Enable";
  return (
    <ConfirmCall
      title={`${verb} this webhook?`}
      action={`${verb} webhook`}
      isSafe={!isEnabled}
      call={(api) => api.webhooks.update(id, { isEnabled: !isEnabled })}
      onClose={onClose}
      done={`Webhook ${isEnabled ? "disabled" : "enabled"}`}
    >
      {isEnabled ? (
        <p>
          It gets no messages from now on, and pending ones count as failed. Enable it again at any time, and replay
          what it missed within 30 days.
        </p>
      ) : (
        <p>It gets the messages from now on. Replay those that it missed.</p>
      )}
    </ConfirmCall>
  );
}

function DeleteWebhook({ webhook: { id, url }, onClose, onDone }: ConfirmationProps & { onDone: () => void }) {
  const queries = useQueryClient();
  return (
    <ConfirmCall
      title="Delete this webhook?"
      action="Delete webhook"
      call={(api) => api.webhooks.delete(id)}
      onClose={onClose}
      done="Webhook deleted"
      onDone={() => {
        queries.removeQueries({ queryKey: ["webhooks", id] });
        onDone();
      }}
    >
      <p className="wrap-anywhere">
        Nothing is sent to {url} any more. Its secret and the record of its deliveries are deleted with it. This cannot
        be undone.
      </p>
    </ConfirmCall>
  );
}
