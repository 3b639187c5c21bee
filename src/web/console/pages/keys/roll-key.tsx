import { useMutation } from "@tanstack/react-query";
import type { ApiKey } from "../../../../client/index.ts";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { shownKey } from "../../../lib/masked-key.ts";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";
import { GraceChoice, useGrace } from "./grace-choice.tsx";
import { KeyReveal } from "./key-reveal.tsx";
import { KeyRules } from "./key-rules.tsx";

/** Replaces one key by another with the same description and rules. */
export function RollKey({
  bucket,
  name,
  apiKey,
  onClose,
}: {
  bucket: string;
  name: string;
  apiKey: ApiKey;
  onClose: () => void;
}) {
  const { api, account } = useSession();
  const { id, key = id, description } = apiKey;
  const grace = useGrace();
  const roll = useMutation({
    mutationFn: async () => {
      const expiresOn = grace.end();
      if (!expiresOn) throw new Error("Enter the date on which the old key expires.");
      return api.keys(bucket, name).rollOne(id, { expiresOn });
    },
  });
  if (roll.data?.key)
    return <KeyReveal bucket={bucket} value={roll.data.key} rules={roll.data} consumer={name} onClose={onClose} />;
  const end = grace.end();
  return (
    <FormDialog
      title={`Roll key ${shownKey(key)}`}
      mutation={roll}
      submit="Roll key"
      kind={grace.isNow ? "danger-fill" : "primary"}
      onClose={onClose}
      blocksClosing
      footStart={
        <CopyAs
          request={{
            method: "POST",
            path: `/v1/accounts/${account}/key-buckets/${bucket}/consumers/${name}/keys/${id}/$roll`,
            body: { expiresOn: end },
          }}
          command={command(
            "keys",
            "roll",
            name,
            "--key",
            id,
            "--bucket",
            bucket,
            "--expires-on",
            grace.isNow ? "now" : (end ?? ""),
          )}
        />
      }
    >
      <p>
        A new key without an expiry is created{description ? ` as “${description}”` : ""}. It may do what this one may:{" "}
        <KeyRights apiKey={apiKey} />. Other keys of {name} stay as they are.
      </p>
      <GraceChoice
        grace={grace}
        subject={{ text: "This key", isPlural: false }}
        error={errorAt(fieldErrors(roll.error), "/expiresOn")}
      />
    </FormDialog>
  );
}

/** The rules of a key, or that it has none. */
export function KeyRights({ apiKey }: { apiKey: ApiKey }) {
  const { permissions, allowedIps, rateLimit } = apiKey;
  return permissions || allowedIps || rateLimit ? <KeyRules apiKey={apiKey} /> : "no restrictions";
}
