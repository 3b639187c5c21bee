import { useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useState } from "react";
import type {
  OperationPage,
  PortalKey,
  PortalSession,
  PortalTry,
  PublishedApi,
} from "../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../components/button.tsx";
import { SelectField } from "../../components/field.tsx";
import { now } from "../../lib/clock.ts";
import { shownKey } from "../../lib/masked-key.ts";
import { type TriedRequest, TryForm } from "../../reference/try-form.tsx";
import { call } from "../queries/api.ts";
import { useCreatedKey } from "../queries/created-key.ts";

interface TryItProps {
  operation: OperationPage;
  api: PublishedApi;
  session: PortalSession | null;
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Sends the operation as one of the visitor's keys. */
export function TryIt({ operation, api, session }: TryItProps) {
  const [isOpen, setOpen] = useState(false);
  if (!session?.scopes.includes("keys:write") || !methods.includes(operation.method)) return null;
  if (!isOpen)
    return (
      <Button kind="primary" onClick={() => setOpen(true)}>
        <Play size={14} aria-hidden />
        Try it
      </Button>
    );
  return <Form operation={operation} api={api} />;
}

/** Whether requests with the key are accepted now. */
const isUsable = ({ isEnabled, expiresOn }: PortalKey): boolean =>
  isEnabled && (expiresOn === null || new Date(expiresOn).getTime() > now());

function Form({ operation, api: { deployment } }: Omit<TryItProps, "session">) {
  const [keyId, setKeyId] = useState<string>();
  const keys = useQuery({ queryKey: ["keys"], queryFn: ({ signal }) => call("listPortalKeys", { signal }) });
  const created = useCreatedKey();
  const usable = keys.data?.data.filter(isUsable).toReversed() ?? [];
  // Lists have the last characters of a key, after asterisks.
  const own = usable.find(({ key }) => created?.endsWith(key.replace(/^\*+/, "")));
  const chosen = keyId ?? (own ?? usable[0])?.id ?? "";
  const send = ({ method, body, ...request }: TriedRequest) =>
    call("tryPortalOperation", {
      body: {
        ...request,
        deployment,
        method: method as PortalTry["method"],
        ...(typeof body === "string" && { body }),
        ...(operation.keyHeader && chosen !== "" && { keyId: chosen }),
      },
    });
  return (
    <TryForm
      operation={operation}
      note="The request is real: it counts against your plan."
      send={send}
      authentication={
        operation.keyHeader &&
        (usable.length === 0 ? (
          <p className="small muted">You have no key that works. Create one under Keys first.</p>
        ) : (
          <SelectField
            label="Key"
            value={chosen}
            onChange={(event) => setKeyId(event.target.value)}
            options={usable.map(({ id, description, key }) => ({
              value: id,
              label: description ? `${description} (${shownKey(key)})` : shownKey(key),
            }))}
          />
        ))
      }
    />
  );
}
