import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { PortalKey } from "../../../client/transport/portal-schema.gen.ts";
import { curlOf } from "../../../lib/text/curl.ts";
import { Confirm } from "../../components/confirm.tsx";
import { Code } from "../../components/copy.tsx";
import { Dialog, FormDialog } from "../../components/dialog.tsx";
import { bindInput, Choices, TextField } from "../../components/field.tsx";
import { Notice } from "../../components/notice.tsx";
import { now } from "../../lib/clock.ts";
import { errorAt, fieldErrors } from "../../lib/errors.ts";
import { shownKey } from "../../lib/format.ts";
import { call } from "../queries/api.ts";
import { rememberCreatedKey, showFirstKey } from "../queries/kept-keys.ts";
import { useApis } from "../queries/session.ts";

export type KeyAction =
  | { kind: "create" }
  | { kind: "rename" | "roll" | "disable" | "enable" | "delete"; apiKey: PortalKey };

interface DialogProps {
  onClose: () => void;
}

export function KeyDialog({ action, ...props }: DialogProps & { action: KeyAction }) {
  switch (action.kind) {
    case "create":
      return <CreateKey {...props} />;
    case "rename":
      return <RenameKey {...props} apiKey={action.apiKey} />;
    case "roll":
      return <RollKey {...props} apiKey={action.apiKey} />;
    default:
      return <ChangeKey {...props} apiKey={action.apiKey} kind={action.kind} />;
  }
}

const dayMs = 86_400_000;

function CreateKey({ onClose }: DialogProps) {
  const [description, setDescription] = useState("");
  const [days, setDays] = useState("");
  const create = useMutation({
    mutationFn: () =>
      call("createPortalKey", {
        body: {
          ...(description.trim() === "" ? {} : { description: description.trim() }),
          expiresOn: days === "" ? null : new Date(now() + Number(days) * dayMs).toISOString(),
        },
      }),
  });
  if (create.data) return <KeyValue value={create.data.key} onClose={onClose} />;
  return (
    <FormDialog title="Create a key" mutation={create} submit="Create key" onClose={onClose} blocksClosing>
      <TextField
        label="Name"
        isOptional
        hint="The program that will use it, such as “production server”."
        maxLength={200}
        {...bindInput(description, setDescription, errorAt(fieldErrors(create.error), "/description"))}
      />
      <Choices
        legend="Expires"
        name="expiry"
        value={days}
        onChange={setDays}
        options={[
          { value: "", label: "Never" },
          { value: "30", label: "30 days" },
          { value: "90", label: "90 days" },
          { value: "365", label: "1 year" },
        ]}
      />
    </FormDialog>
  );
}

interface KeyValueProps {
  title?: string;
  value: string;
  onClose: () => void;
}

/** The key that a sign-up has created, above the page on which the person goes on. */
export default function FirstKey({ value }: { value: string }) {
  return <KeyValue title="Your first key" value={value} onClose={() => showFirstKey(undefined)} />;
}

/** The value of a new key, once, with a request that works when it is pasted. */
function KeyValue({ title = "Your new key", value, onClose }: KeyValueProps) {
  const apis = useApis();
  const example = apis.data?.data.find((api) => api.example)?.example;
  useEffect(() => rememberCreatedKey(value), [value]);
  return (
    <Dialog title={title} isWide isStubborn onClose={onClose} closeLabel="I have stored it">
      <Notice kind="warning">Copy it now and store it in a safe place. It is not shown again.</Notice>
      <div className="key-value">
        <Code text={value} isSecret />
      </div>
      {example && (
        <div className="stack stack-tight">
          <h3>Try it</h3>
          <Code text={curlOf(example, value)} />
        </div>
      )}
    </Dialog>
  );
}

function RenameKey({ apiKey, onClose }: DialogProps & { apiKey: PortalKey }) {
  const [description, setDescription] = useState(apiKey.description ?? "");
  const rename = useMutation({
    mutationFn: () =>
      call("updatePortalKey", { params: { keyId: apiKey.id }, body: { description: description.trim() || null } }),
    onSuccess: onClose,
  });
  return (
    <FormDialog title="Rename the key" mutation={rename} submit="Rename key" onClose={onClose}>
      <TextField
        label="Name"
        maxLength={200}
        {...bindInput(description, setDescription, errorAt(fieldErrors(rename.error), "/description"))}
      />
    </FormDialog>
  );
}

function RollKey({ apiKey, onClose }: DialogProps & { apiKey: PortalKey }) {
  const [hours, setHours] = useState("24");
  const roll = useMutation({
    mutationFn: () => call("rollPortalKey", { params: { keyId: apiKey.id }, body: { graceHours: Number(hours) } }),
  });
  if (roll.data) return <KeyValue value={roll.data.key} onClose={onClose} />;
  return (
    <FormDialog title="Roll the key" mutation={roll} submit="Roll key" onClose={onClose} blocksClosing>
      <p>
        You get a new key instead of <span className="mono">{shownKey(apiKey.key)}</span>. Choose how long the old one
        keeps working, so that your programs can change over.
      </p>
      <Choices
        legend="The old key expires"
        name="grace"
        value={hours}
        onChange={setHours}
        options={[
          { value: "0", label: "Now" },
          { value: "1", label: "In an hour" },
          { value: "24", label: "In a day" },
          { value: "168", label: "In a week" },
        ]}
      />
    </FormDialog>
  );
}

const texts = {
  disable: {
    title: "Disable the key",
    action: "Disable key",
    text: "Requests with it fail immediately. You can enable it again.",
  },
  enable: { title: "Enable the key", action: "Enable key", text: "Requests with it work again immediately." },
  delete: {
    title: "Delete the key",
    action: "Delete key",
    text: "Requests with it fail immediately. This cannot be undone.",
  },
};

function ChangeKey({ apiKey, kind, onClose }: DialogProps & { apiKey: PortalKey; kind: keyof typeof texts }) {
  const { title, action, text } = texts[kind];
  const params = { keyId: apiKey.id };
  return (
    <Confirm
      title={title}
      action={action}
      isSafe={kind === "enable"}
      run={() =>
        kind === "delete"
          ? call("deletePortalKey", { params })
          : call("updatePortalKey", { params, body: { isEnabled: kind === "enable" } })
      }
      onClose={onClose}
    >
      <p>
        {apiKey.description ? <strong>{apiKey.description}</strong> : "This key"}{" "}
        <span className="mono">{shownKey(apiKey.key)}</span>
      </p>
      <p>{text}</p>
    </Confirm>
  );
}
