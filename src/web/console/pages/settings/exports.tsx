import { CloudUpload, Ellipsis, History, KeyRound, Pause, Play, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { HourlyExport } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { FormDialog } from "../../../components/dialog.tsx";
import { bindInput, TextField } from "../../../components/field.tsx";
import { Menu } from "../../../components/menu.tsx";
import { MiddleCut } from "../../../components/middle-cut.tsx";
import { EmptyState, Notice } from "../../../components/notice.tsx";
import { actionsColumn, type Column, List } from "../../../components/table.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { fromLocalInput } from "../../../lib/format.ts";
import { command } from "../../../lib/shell.ts";
import { useRead } from "../../queries/session.tsx";
import { ListHead } from "../../shell/page.tsx";
import { AsCommand, CallDialog, ConfirmCall, CopyAs, useCall } from "../../shell/requests.tsx";
import { CredentialFields, emptyCredential, shownCredential } from "./exports/credential-fields.tsx";
import { NewExport } from "./exports/new-export.tsx";
import { BackfillProgress, contentOf, ExportState, Hour } from "./exports/state.tsx";

type Open = { what: "new" } | { what: "switch" | "backfill" | "credential" | "delete"; hourly: HourlyExport };

/** Where closed hours are written to, and how far they are. */
export default function ExportSettings() {
  const [open, setOpen] = useState<Open>();
  const exports = useRead(["exports"], (api, { signal }) => api.exports.list({ signal }).all(), {
    refetchInterval: 10_000,
  });
  const close = () => setOpen(undefined);
  const columns: Column<HourlyExport>[] = [
    { label: "Export", render: ({ name }) => <span className="strong">{name}</span> },
    {
      label: "Destination",
      isText: "wide",
      render: ({ to }) => (
        <span className="mono">
          <MiddleCut text={to.url} />
        </span>
      ),
    },
    { label: "Writes", isMinor: true, render: contentOf },
    { label: "State", isLead: true, render: (hourly) => <ExportState hourly={hourly} /> },
    {
      label: "Last hour",
      render: ({ lastHour }) => (lastHour ? <Hour time={lastHour} /> : <span className="muted">None yet</span>),
    },
    { label: "Backfill", render: ({ backfill }) => <BackfillProgress backfill={backfill} /> },
    actionsColumn((hourly) => (
      <Menu
        trigger={<Button icon={Ellipsis} kind="quiet" isSmall isIcon aria-label={`Actions of ${hourly.name}`} />}
        actions={[
          {
            label: hourly.isEnabled ? "Pause" : "Resume",
            icon: hourly.isEnabled ? Pause : Play,
            onSelect: () => setOpen({ what: "switch", hourly }),
          },
          {
            label: "Write earlier hours",
            icon: History,
            denied: hourly.backfill && "Earlier hours are being written. Wait until that is done.",
            onSelect: () => setOpen({ what: "backfill", hourly }),
          },
          {
            label: "Replace credential",
            icon: KeyRound,
            isHidden: !hourly.to.url.startsWith("s3:"),
            onSelect: () => setOpen({ what: "credential", hourly }),
          },
          {
            label: "Delete",
            icon: Trash2,
            isDanger: true,
            onSelect: () => setOpen({ what: "delete", hourly }),
          },
        ]}
      />
    )),
  ];
  const newButton = (
    <Button icon={Plus} kind="primary" onClick={() => setOpen({ what: "new" })}>
      New export
    </Button>
  );
  return (
    <>
      <ListHead about="Copies of usage events, requests, invoices and the audit log for your warehouse, hour by hour.">
        <AsCommand call={(api) => api.exports.list().page()} />
        {exports.data?.length !== 0 && newButton}
      </ListHead>
      {exports.data?.map((hourly) => (
        <Failure key={hourly.id} hourly={hourly} />
      ))}
      <List
        caption="Exports"
        of={exports}
        columns={columns}
        skeletonRows={2}
        empty={
          <EmptyState icon={CloudUpload} title="No exports yet" guide="exports" action={newButton}>
            An export writes what was recorded in each hour to object storage or a folder, as Parquet or NDJSON. Each
            hour is written once, two minutes after its end, with a manifest.
          </EmptyState>
        }
      />
      {open?.what === "new" && <NewExport onClose={close} />}
      {open?.what === "switch" && <SwitchExport hourly={open.hourly} onClose={close} />}
      {open?.what === "backfill" && <NewBackfill hourly={open.hourly} onClose={close} />}
      {open?.what === "credential" && <NewCredential hourly={open.hourly} onClose={close} />}
      {open?.what === "delete" && <DeleteExport hourly={open.hourly} onClose={close} />}
    </>
  );
}

/** The last error of an export and what to do, in a sentence. Renders nothing if it works. */
function Failure({ hourly: { name, to, isEnabled, failingSince, lastError } }: { hourly: HourlyExport }) {
  if (!isEnabled || failingSince === undefined) return null;
  return (
    <div className="first-command">
      <Notice kind="error">
        <p>
          <strong>{name}</strong> began to fail <RelativeTime time={failingSince} />. The hour is tried again, at the
          latest after an hour, and no hour is skipped.
          {to.url.startsWith("s3:") && " A new credential is tried immediately."}
        </p>
        {lastError !== undefined && <p className="mono small wrap-anywhere">{lastError}</p>}
      </Notice>
    </div>
  );
}

function NewCredential({ hourly: { name, to }, onClose }: ExportDialogProps) {
  const [credential, setCredential] = useState({ ...emptyCredential, accessKeyId: to.accessKeyId ?? "" });
  const save = useCall({
    call: (api) => api.exports.update(name, { credential }),
    done: "Credential replaced",
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={`Replace the credential of ${name}`}
      mutation={save}
      submit="Replace credential"
      onClose={onClose}
      footStart={
        <CopyAs
          call={(api) => api.exports.update(name, { credential: shownCredential(credential) })}
          command={command("exports", "update", name, "--credential")}
        />
      }
    >
      <p>A failing export is tried again immediately with it.</p>
      <CredentialFields value={credential} errors={save.errors} at="/credential" onChange={setCredential} />
    </FormDialog>
  );
}

/** Writes the hours from a time on, up to the first hour of the export, or hours again. */
function NewBackfill({ hourly: { name, firstHour }, onClose }: ExportDialogProps) {
  const [from, setFrom] = useState("");
  const [until, setUntil] = useState("");
  const time = fromLocalInput(from) ?? "";
  const to = fromLocalInput(until);
  const body = to === undefined ? { from: time } : { from: time, to };
  const backfill = useCall({
    call: (api) => api.exports.backfill(name, body),
    done: "Earlier hours are being written",
    onSuccess: onClose,
  });
  return (
    <CallDialog
      title={`Write earlier hours to ${name}`}
      of={backfill}
      submit="Write earlier hours"
      disabled={time === ""}
      onClose={onClose}
    >
      <p>
        The hours up to <Hour time={firstHour} />, its first one, as far as their data is still kept. From then on,
        hours are written again, which replaces their objects. Current hours are written first.
      </p>
      <TextField label="From" type="datetime-local" {...bindInput(from, setFrom, errorAt(backfill.errors, "/from"))} />
      <TextField
        label="Until"
        type="datetime-local"
        isOptional
        hint="By default its first hour, or the next one if it begins later."
        {...bindInput(until, setUntil, errorAt(backfill.errors, "/to"))}
      />
    </CallDialog>
  );
}

interface ExportDialogProps {
  hourly: HourlyExport;
  onClose: () => void;
}

/** Pauses an enabled export, or resumes a paused one. */
function SwitchExport({ hourly: { name, isEnabled }, onClose }: ExportDialogProps) {
  const verb = isEnabled ? "Pause" : "Resume";
  return (
    <ConfirmCall
      action={`${verb} ${name}`}
      isSafe={!isEnabled}
      call={(api) => api.exports.update(name, { isEnabled: !isEnabled })}
      onClose={onClose}
      done={isEnabled ? `${name} is paused` : `${name} is resumed`}
    >
      {isEnabled ? (
        <p>
          No hour is written until it is resumed. It then continues where it was. Data that has passed its retention by
          then is missing.
        </p>
      ) : (
        <p>The hours that were missed are written first, in order.</p>
      )}
    </ConfirmCall>
  );
}

function DeleteExport({ hourly, onClose }: ExportDialogProps) {
  const { name, to } = hourly;
  return (
    <ConfirmCall
      action={`Delete ${name}`}
      call={(api) => api.exports.delete(name)}
      onClose={onClose}
      done={`${name} is deleted`}
    >
      <p className="wrap-anywhere">
        No more hours are written to {to.url}, and its credential is deleted. What it has written stays there.
      </p>
      <p>This cannot be undone: a new export begins with an hour of its own.</p>
    </ConfirmCall>
  );
}
