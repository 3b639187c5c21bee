import { useState } from "react";
import type { ApiKey } from "../../../../client/index.ts";
import { bindInput, Choices, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { now } from "../../../lib/clock.ts";
import { errorAt } from "../../../lib/errors.ts";
import { formatDateTime, formatNumber, fromLocalInput, shownKey } from "../../../lib/format.ts";
import { useKeyBuckets } from "../../queries/buckets.tsx";
import { useRead } from "../../queries/session.tsx";
import { CallDialog, useCall } from "../../shell/requests.tsx";
import { KeyReveal } from "./key-reveal.tsx";
import { KeyRules } from "./key-state.tsx";

/** The number of keys in the list; the number of further ones is shown. */
const shown = 100;

/** Creates a new key, and sets an expiry for the keys that have none. */
export function RollKeys({ bucket, name, onClose }: { bucket: string; name: string; onClose: () => void }) {
  const isRetrievable = useKeyBuckets().data?.find((known) => known.name === bucket)?.isRetrievable ?? true;
  const grace = useGrace();
  const keys = useRead(["keys", bucket, name, "roll"], (api, { signal }) =>
    api.keys(bucket, name).list({ limit: shown, signal }).page(),
  );
  const roll = useCall({
    call: async (api) => {
      const expiresOn = grace.end();
      if (!expiresOn) throw new Error("Enter the date on which the old keys expire.");
      const id = await api.keys(bucket, name).roll({ expiresOn });
      // If values of the bucket are not retrievable, the new one is masked.
      const key = await api
        .keys(bucket, name)
        .get(id, { keyFormat: "visible" })
        .catch(() => undefined);
      if (!key?.key) toast("Keys rolled. This bucket does not store values: create a key to see one.");
      return key?.key ? { ...key, key: key.key } : undefined;
    },
    onSuccess: (key) => key === undefined && onClose(),
  });
  if (roll.data)
    return <KeyReveal bucket={bucket} value={roll.data.key} rules={roll.data} consumer={name} onClose={onClose} />;
  return (
    <CallDialog
      title={`Roll keys of ${name}`}
      of={roll}
      submit="Roll keys"
      kind={grace.isNow ? "danger-fill" : "primary"}
      onClose={onClose}
      blocksClosing
    >
      {keys.data && <RolledKeys keys={keys.data.data} total={keys.data.total} name={name} />}
      {!isRetrievable && (
        <Notice kind="warning">
          This bucket keeps no values, so the new key cannot be shown. Roll the keys one by one instead, in the menu of
          each key.
        </Notice>
      )}
      <GraceChoice
        grace={grace}
        subject={{ text: "Old keys", isPlural: true }}
        error={errorAt(roll.errors, "/expiresOn")}
      />
    </CallDialog>
  );
}

/** The keys that will expire, and the rules of the new key: those of the newest enabled one. */
function RolledKeys({ keys, total, name }: { keys: ApiKey[]; total: number; name: string }) {
  const expiring = keys.filter(({ expiresOn }) => expiresOn === null);
  const model = expiring.findLast(({ isEnabled }) => isEnabled) ?? expiring.at(-1);
  if (!model)
    return (
      <p>
        Every key of {name} has an expiry already and keeps it. A new key without one is created; it may do everything,
        from everywhere.
      </p>
    );
  return (
    <>
      <p>
        {expiring.length === 1 ? "This key expires" : `These ${expiring.length} keys expire`}
        {total > keys.length ? `, and those of the other ${formatNumber(total - keys.length)} that have no expiry` : ""}
        :
      </p>
      <ul className="stack stack-tight" aria-label="Keys that expire">
        {expiring.map((key) => (
          <li key={key.id}>
            <span className="mono">{shownKey(key.key ?? key.id)}</span> {key.description}{" "}
            <span className="muted">
              <KeyRights apiKey={key} />
            </span>
          </li>
        ))}
      </ul>
      <p>
        One new key replaces {expiring.length === 1 ? "it" : "all of them"}. It may do what the newest of them may:{" "}
        <strong>
          <KeyRights apiKey={model} />
        </strong>
        .{expiring.length > 1 && " To keep the rules of each, roll keys one by one in the menu of each key."}
      </p>
    </>
  );
}

interface RollKeyProps {
  bucket: string;
  name: string;
  apiKey: ApiKey;
  onClose: () => void;
}

/** Replaces one key by another with the same description and rules. */
export function RollKey({ bucket, name, apiKey, onClose }: RollKeyProps) {
  const { id, key = id, description } = apiKey;
  const grace = useGrace();
  const roll = useCall({
    call: async (api) => {
      const expiresOn = grace.end();
      if (!expiresOn) throw new Error("Enter the date on which the old key expires.");
      return api.keys(bucket, name).rollOne(id, { expiresOn });
    },
  });
  if (roll.data?.key)
    return <KeyReveal bucket={bucket} value={roll.data.key} rules={roll.data} consumer={name} onClose={onClose} />;
  return (
    <CallDialog
      title={`Roll key ${shownKey(key)}`}
      of={roll}
      submit="Roll key"
      kind={grace.isNow ? "danger-fill" : "primary"}
      onClose={onClose}
      blocksClosing
    >
      <p>
        A new key without an expiry is created{description ? ` as “${description}”` : ""}. It may do what this one may:{" "}
        <KeyRights apiKey={apiKey} />. Other keys of {name} stay as they are.
      </p>
      <GraceChoice
        grace={grace}
        subject={{ text: "This key", isPlural: false }}
        error={errorAt(roll.errors, "/expiresOn")}
      />
    </CallDialog>
  );
}

/** The rules of a key, or that it has none. */
function KeyRights({ apiKey }: { apiKey: ApiKey }) {
  const { permissions, allowedIps, rateLimit } = apiKey;
  return permissions || allowedIps || rateLimit ? <KeyRules apiKey={apiKey} /> : "no restrictions";
}

const hourMs = 3_600_000;

/** How long the old key keeps working. `end()` is undefined while a date is missing. */
function useGrace() {
  const [grace, setGrace] = useState("24");
  const [date, setDate] = useState("");
  const end = (): string | undefined =>
    grace === "date" ? fromLocalInput(date) : new Date(now() + Number(grace) * hourMs).toISOString();
  return { grace, setGrace, date, setDate, end, isNow: grace === "0" };
}

interface GraceChoiceProps {
  grace: ReturnType<typeof useGrace>;
  /** The subject of a sentence about expiring keys: "Old keys", "This key". */
  subject: { text: string; isPlural: boolean };
  error: string | undefined;
}

function GraceChoice({ grace: { grace, setGrace, date, setDate, end, isNow }, subject, error }: GraceChoiceProps) {
  const until = end();
  const verb = subject.isPlural ? "work" : "works";
  return (
    <>
      <Choices
        legend={`${subject.text} ${subject.isPlural ? "end" : "ends"}`}
        name="grace"
        value={grace}
        onChange={setGrace}
        options={[
          { value: "0", label: "Now" },
          { value: "1", label: "In 1 hour" },
          { value: "24", label: "In 1 day" },
          { value: "168", label: "In 7 days" },
          { value: "date", label: "Date…" },
        ]}
      />
      {grace === "date" && (
        <TextField label="Date and time" type="datetime-local" {...bindInput(date, setDate, error)} />
      )}
      <Notice kind={isNow ? "warning" : "info"}>
        {isNow
          ? "Requests with the old value are rejected immediately. Choose this for a leaked key."
          : until
            ? `${subject.text} ${verb} until ${formatDateTime(until)}.`
            : `${subject.text} ${verb} until the date you give.`}
      </Notice>
    </>
  );
}
