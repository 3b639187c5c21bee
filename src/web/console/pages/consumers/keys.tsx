import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Copy, Ellipsis, Eye, KeyRound, Pencil, Plus, Power, RotateCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ApiKey, Tollgate } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { copyWithToast } from "../../../components/copy.tsx";
import { FormDialog } from "../../../components/dialog.tsx";
import { bindInput, TextField } from "../../../components/field.tsx";
import { Menu } from "../../../components/menu.tsx";
import { EmptyState } from "../../../components/notice.tsx";
import { Figure } from "../../../components/number.tsx";
import { actionsColumn, type Column, descriptionColumn, List } from "../../../components/table.tsx";
import { DayTime, RelativeTime } from "../../../components/time.tsx";
import { toast } from "../../../components/toast.tsx";
import { now } from "../../../lib/clock.ts";
import { errorAt, messageOf } from "../../../lib/errors.ts";
import { shownKey } from "../../../lib/format.ts";
import { useKeyBuckets } from "../../queries/buckets.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { ConfirmCall, CopyAs, useCall } from "../../shell/requests.tsx";
import { EditKey } from "../keys/edit-key.tsx";
import { emptyKeyForm, KeyFields, newKeyOf } from "../keys/key-fields.tsx";
import { KeyReveal } from "../keys/key-reveal.tsx";
import { KeyRules, KeyState } from "../keys/key-state.tsx";
import { RollKey, RollKeys } from "../keys/roll-keys.tsx";

const route = getRouteApi("/frame/consumers/$bucket/$name");

type Open = { what: "new" | "roll" } | { what: "edit" | "switch" | "delete" | "roll-one" | "value"; key: ApiKey };

const size = 100;

const isRollable = ({ isEnabled, expiresOn }: ApiKey) =>
  isEnabled && (expiresOn === null || Date.parse(expiresOn) > now());

export function ConsumerKeys({ bucket, name }: { bucket: string; name: string }) {
  const { api, deniedEdit } = useSession();
  const { key: named, page = 1 } = route.useSearch();
  const navigate = useNavigate();
  const isRetrievable = useKeyBuckets().data?.find((known) => known.name === bucket)?.isRetrievable ?? true;
  const [open, setOpen] = useState<Open>();
  const keys = useRead(["keys", bucket, name, page], (api, { signal }) =>
    api
      .keys(bucket, name)
      .list({ limit: size, offset: (page - 1) * size, signal })
      .page(),
  );
  const requests = useRead(["analytics", "keys-of", name], async (api, { signal }) => {
    const { series } = await api.analytics.get({ by: "key", consumer: name, limit: size, step: "1h", signal });
    return new Map(series.map(({ key, totals }) => [key, totals.requests]));
  });
  const close = () => setOpen(undefined);
  const reveal = async ({ id }: ApiKey) => {
    try {
      setOpen({ what: "value", key: await api.keys(bucket, name).get(id, { keyFormat: "visible" }) });
    } catch (error) {
      toast(messageOf(error), "red");
    }
  };
  const columns: Column<ApiKey>[] = [
    { label: "Key", render: ({ key, id }) => <span className="mono">{shownKey(key ?? id)}</span> },
    descriptionColumn(),
    { label: "State", isLead: true, render: (key) => <KeyState {...key} /> },
    { label: "Created", isMinor: true, render: ({ createdOn }) => <DayTime time={createdOn} /> },
    { label: "Permissions", isText: true, isMinor: true, render: (key) => <KeyRules apiKey={key} /> },
    {
      label: "Requests, 24 h",
      isNumber: true,
      isMinor: true,
      render: ({ id }) => requests.data && <Figure value={requests.data.get(id) ?? 0} />,
    },
    { label: "Last used", render: ({ lastUsedOn }) => <RelativeTime time={lastUsedOn} /> },
    { label: "Expires", render: ({ expiresOn }) => <RelativeTime time={expiresOn} /> },
    actionsColumn((key) => (
      <Menu
        trigger={
          <Button
            icon={Ellipsis}
            kind="quiet"
            isSmall
            isIcon
            aria-label={`Actions of key ${shownKey(key.key ?? key.id)}`}
          />
        }
        actions={[
          { label: "Edit", icon: Pencil, denied: deniedEdit, onSelect: () => setOpen({ what: "edit", key }) },
          {
            label: "Roll",
            icon: RotateCw,
            denied: deniedEdit ?? (isRollable(key) ? undefined : "A disabled or expired key cannot be rolled."),
            onSelect: () => setOpen({ what: "roll-one", key }),
          },
          {
            label: key.isEnabled ? "Disable" : "Enable",
            icon: Power,
            denied: deniedEdit,
            onSelect: () => setOpen({ what: "switch", key }),
          },
          {
            label: "Show value",
            icon: Eye,
            denied:
              deniedEdit ??
              (isRetrievable ? undefined : "This bucket does not store values, so they cannot be shown again.") ??
              (key.isRetrievable === false ? "Only the hash of this key is stored." : undefined),
            onSelect: () => reveal(key),
          },
          { label: "Copy id", icon: Copy, onSelect: () => copyWithToast(key.id, "Id") },
          {
            label: "Delete",
            icon: Trash2,
            isDanger: true,
            denied: deniedEdit,
            onSelect: () => setOpen({ what: "delete", key }),
          },
        ]}
      />
    )),
  ];
  return (
    <>
      <div className="section-head">
        <p className="muted">
          Values are masked. A key is valid until it expires, is deleted, or its value is changed.
        </p>
        <div className="row">
          <Button
            icon={RotateCw}
            denied={deniedEdit}
            onClick={() => setOpen({ what: "roll" })}
            disabled={!keys.data?.total}
          >
            Roll keys
          </Button>
          <Button icon={Plus} kind="primary" denied={deniedEdit} onClick={() => setOpen({ what: "new" })}>
            New key
          </Button>
        </div>
      </div>
      <List
        caption={`Keys of ${name}`}
        of={keys}
        columns={columns}
        isSelected={({ id }) => id === named}
        skeletonRows={3}
        page={page}
        size={size}
        onPage={(next) => navigate({ to: ".", search: { page: next } })}
        empty={
          <EmptyState icon={KeyRound} title={`${name} has no keys`} guide="keys">
            Requests need a key of {name} before a gateway lets them through as {name}.
          </EmptyState>
        }
      />
      {open?.what === "new" && <NewKey bucket={bucket} name={name} onClose={close} />}
      {open?.what === "roll" && <RollKeys bucket={bucket} name={name} onClose={close} />}
      {open?.what === "roll-one" && <RollKey bucket={bucket} name={name} apiKey={open.key} onClose={close} />}
      {open?.what === "edit" && <EditKey bucket={bucket} name={name} apiKey={open.key} onClose={close} />}
      {open?.what === "value" && (
        <KeyReveal
          bucket={bucket}
          again={{ id: open.key.id }}
          value={open.key.key ?? ""}
          rules={open.key}
          consumer={name}
          onClose={close}
        />
      )}
      {open?.what === "switch" && <SwitchKey bucket={bucket} name={name} apiKey={open.key} onClose={close} />}
      {open?.what === "delete" && <DeleteKey bucket={bucket} name={name} apiKey={open.key} onClose={close} />}
    </>
  );
}

function NewKey({ bucket, name, onClose }: { bucket: string; name: string; onClose: () => void }) {
  const [form, setForm] = useState(emptyKeyForm);
  const [own, setOwn] = useState("");
  const send = (to: Tollgate, key: string) =>
    to.keys(bucket, name).create({ ...newKeyOf(form), key: key || undefined });
  const create = useCall({ call: (api) => send(api, own) });
  if (create.data?.key)
    return <KeyReveal bucket={bucket} value={create.data.key} rules={create.data} consumer={name} onClose={onClose} />;
  return (
    <FormDialog
      title={`Create key for ${name}`}
      mutation={create}
      submit="Create key"
      onClose={onClose}
      blocksClosing
      footStart={
        // The key value that the user entered is a secret.
        <CopyAs call={(api) => send(api, own && "…")} />
      }
    >
      <KeyFields form={form} onChange={setForm} errors={create.errors} />
      <details className="fold" open={errorAt(create.errors, "/key") !== undefined || undefined}>
        <summary>Bring your own value</summary>
        <TextField
          label="Value"
          isOptional
          isMono
          hint="16 to 512 visible characters, for keys that your customer already has."
          {...bindInput(own, setOwn, errorAt(create.errors, "/key"))}
        />
      </details>
    </FormDialog>
  );
}

interface ConfirmKeyProps {
  bucket: string;
  name: string;
  apiKey: ApiKey;
  onClose: () => void;
}

/** Disables an enabled key, or enables a disabled one. */
function SwitchKey({ bucket, name, apiKey, onClose }: ConfirmKeyProps) {
  const { id, key = id, isEnabled } = apiKey;
  const verb = isEnabled ? "Disable" : "Enable";
  const body = { isEnabled: !isEnabled };
  return (
    <ConfirmCall
      title={`${verb} key ${shownKey(key)}?`}
      action={`${verb} key`}
      isSafe={!isEnabled}
      call={(api) => api.keys(bucket, name).update(id, body)}
      onClose={onClose}
      done={`Key ${isEnabled ? "disabled" : "enabled"}`}
    >
      <p>
        {isEnabled
          ? "Requests with it are rejected immediately. It can be enabled again at any time."
          : "Requests with it are accepted again."}
      </p>
    </ConfirmCall>
  );
}

function DeleteKey({ bucket, name, apiKey, onClose }: ConfirmKeyProps) {
  const { id, key = id } = apiKey;
  return (
    <ConfirmCall
      title={`Delete key ${shownKey(key)}?`}
      action="Delete key"
      call={(api) => api.keys(bucket, name).delete(id)}
      onClose={onClose}
      done="Key deleted"
    >
      <p>Requests with it are rejected immediately. This cannot be undone.</p>
    </ConfirmCall>
  );
}
