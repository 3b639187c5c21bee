import type { ApiKey } from "../../../../client/index.ts";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { formatNumber } from "../../../lib/format.ts";
import { shownKey } from "../../../lib/masked-key.ts";
import { useKeyBuckets } from "../../queries/buckets.tsx";
import { useRead } from "../../queries/session.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { GraceChoice, useGrace } from "./grace-choice.tsx";
import { KeyReveal } from "./key-reveal.tsx";
import { KeyRights } from "./roll-key.tsx";

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
    <FormDialog
      title={`Roll keys of ${name}`}
      mutation={roll}
      submit="Roll keys"
      kind={grace.isNow ? "danger-fill" : "primary"}
      onClose={onClose}
      blocksClosing
      footStart={<CopyAs of={roll} />}
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
    </FormDialog>
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
