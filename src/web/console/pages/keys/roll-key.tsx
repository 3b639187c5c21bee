import type { ApiKey } from "../../../../client/index.ts";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { shownKey } from "../../../lib/masked-key.ts";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { GraceChoice, useGrace } from "./grace-choice.tsx";
import { KeyReveal } from "./key-reveal.tsx";
import { KeyRules } from "./key-rules.tsx";

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
    <FormDialog
      title={`Roll key ${shownKey(key)}`}
      mutation={roll}
      submit="Roll key"
      kind={grace.isNow ? "danger-fill" : "primary"}
      onClose={onClose}
      blocksClosing
      footStart={<CopyAs of={roll} />}
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
    </FormDialog>
  );
}

/** The rules of a key, or that it has none. */
export function KeyRights({ apiKey }: { apiKey: ApiKey }) {
  const { permissions, allowedIps, rateLimit } = apiKey;
  return permissions || allowedIps || rateLimit ? <KeyRules apiKey={apiKey} /> : "no restrictions";
}
