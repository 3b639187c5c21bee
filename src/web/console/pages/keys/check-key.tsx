import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { FormDialog } from "../../../components/dialog.tsx";
import { bindInput, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";

const reasons: Record<string, string> = {
  malformed: "This is not a key of this server: its checksum is wrong. A character may be missing.",
  not_found: "No consumer of this bucket has this key. It may have been deleted or rolled.",
  expired: "The key has expired.",
  disabled: "The key is disabled.",
  ip_required: "The key is restricted to some addresses. Requests from other addresses are rejected.",
  ip_not_allowed: "The key is not allowed from this address.",
  rate_limited: "The key has used up its own rate limit for now.",
};

/** Verifies a key and shows its consumer, for a customer's support request. */
export function CheckKey({ bucket, onClose }: { bucket: string; onClose: () => void }) {
  const [key, setKey] = useState("");
  const check = useCall({ call: (api) => api.verifyKey(bucket, key.trim()) });
  return (
    <FormDialog
      title="Check a key"
      mutation={check}
      submit="Check"
      cancel="Close"
      disabled={key.trim() === ""}
      onClose={onClose}
      footStart={<CopyAs call={(api) => api.verifyKey(bucket, "…")} />}
    >
      <TextField
        data-transient
        label="Key"
        isMono
        type="password"
        autoComplete="off"
        hint={`As a gateway would check it, in the bucket ${bucket}.`}
        {...bindInput(key, setKey)}
      />
      {check.data?.valid === true && (
        <Notice kind="success">
          Good. It belongs to{" "}
          <Link to="/consumers/$bucket/$name" params={{ bucket, name: check.data.consumer.name }}>
            {check.data.consumer.name}
          </Link>
          {check.data.expiresOn ? (
            <>
              {" "}
              and expires <RelativeTime time={check.data.expiresOn} />.
            </>
          ) : (
            " and does not expire."
          )}
        </Notice>
      )}
      {check.data?.valid === false && <Notice kind="error">{reasons[check.data.code] ?? check.data.code}</Notice>}
    </FormDialog>
  );
}
