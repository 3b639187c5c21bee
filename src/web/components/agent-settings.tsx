import { useState } from "react";
import { type AgentAccess, type AgentServer, agentClients } from "../lib/agent-clients.ts";
import { Code } from "./copy.tsx";
import { Choices } from "./field.tsx";
import { Tabs } from "./tabs.tsx";

interface AgentSettingsProps {
  server: AgentServer;
  /** Whether a person can sign in at the portal instead of using a key. */
  hasSignIn: boolean;
}

/** How to connect an agent, for each common client. */
export function AgentSettings({ server, hasSignIn }: AgentSettingsProps) {
  const [client, setClient] = useState(agentClients[0]!.value);
  const [chosen, setChosen] = useState<AgentAccess>();
  const choices: { value: AgentAccess; label: string }[] = [
    ...(hasSignIn ? [{ value: "sign-in" as const, label: "By signing in" }] : []),
    ...(server.key ? [{ value: "key" as const, label: "With a key" }] : []),
  ];
  const access = choices.find(({ value }) => value === chosen)?.value ?? choices[0]?.value ?? "none";
  return (
    <div className="stack">
      {choices.length > 1 && (
        <Choices
          legend="Access"
          name={`access-${server.name}`}
          value={access}
          options={choices}
          onChange={(value) => setChosen(value as AgentAccess)}
        />
      )}
      <Tabs
        value={client}
        onChange={setClient}
        tabs={agentClients.map(({ value, label, steps }) => ({
          value,
          label,
          content: () => (
            <div className="stack">
              {steps(server, access).map(({ text, copy }) => (
                <div className="stack stack-tight" key={text}>
                  <p>{text}</p>
                  {copy !== undefined && <Code text={copy} />}
                </div>
              ))}
            </div>
          ),
        }))}
      />
    </div>
  );
}
