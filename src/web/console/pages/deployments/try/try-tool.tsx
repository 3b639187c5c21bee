import { Send } from "lucide-react";
import { useState } from "react";
import type { DeploymentTry } from "../../../../../client/index.ts";
import { isJsonObject } from "../../../../../lib/text/json-object.ts";
import { Button } from "../../../../components/button.tsx";
import { TextArea } from "../../../../components/field.tsx";
import { Form } from "../../../../components/form.tsx";
import { ErrorNotice } from "../../../../components/notice.tsx";
import { SidePanel } from "../../../../components/side-panel.tsx";
import { bindInput } from "../../../../lib/form-fields.ts";
import { CopyAs, useCall } from "../../../shell/requests.tsx";
import { type Credential, credentialFields, type Expected } from "./credential.ts";
import { CredentialField } from "./credential-field.tsx";
import { TryResult } from "./try-result.tsx";

const revision = "2026-07-28";

interface TryToolProps {
  deployment: string;
  /** Of the route that offers the tool. */
  path: string;
  tool: { name: string; description?: string };
  mode: "tools" | "search";
  expected: Expected | undefined;
  onClose: () => void;
}

/** Calls a tool as an agent does. */
export function TryTool({ deployment, path, tool, mode, expected, onClose }: TryToolProps) {
  const [text, setText] = useState("{}");
  const [credential, setCredential] = useState<Credential>({ kind: "none" });
  const given = parsedObject(text);
  const { key, header } = credentialFields(credential, expected);
  const name = mode === "search" ? "call" : tool.name;
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name,
      arguments: mode === "search" ? { operationId: tool.name, arguments: given } : given,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "Console", version: "1" },
      },
    },
  };
  const request: DeploymentTry = {
    method: "POST",
    path,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      "mcp-method": "tools/call",
      "mcp-name": name,
      ...(header ? { [header[0]]: header[1] } : {}),
    },
    body: JSON.stringify(body),
    ...(key ? { key } : {}),
  };
  const send = useCall({ call: (api) => api.deployments.try(deployment, request) });
  return (
    <SidePanel title={`Try ${tool.name}`} isWide onClose={onClose}>
      <Form className="stack" onSubmit={() => send.mutate()}>
        {tool.description && <p className="muted">{tool.description}</p>}
        {send.error && <ErrorNotice error={send.error} />}
        {expected && <CredentialField expected={expected} credential={credential} onChange={setCredential} />}
        <TextArea
          label="Arguments"
          isMono
          rows={6}
          {...bindInput(text, setText, given ? undefined : "must be a JSON object")}
        />
        <div className="row row-between row-wrap">
          <CopyAs of={send} />
          <Button type="submit" kind="primary" isBusy={send.isPending} disabled={!given}>
            <Send size={16} aria-hidden />
            Call
          </Button>
        </div>
        {send.data && <TryResult response={send.data} />}
      </Form>
    </SidePanel>
  );
}

function parsedObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
