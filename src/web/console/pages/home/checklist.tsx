import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { Code } from "../../../components/copy.tsx";
import { useSession } from "../../queries/session.tsx";
import type { Progress } from "./progress.ts";

interface Step {
  name: keyof Progress;
  title: string;
  text: string;
  command: string;
  action: ReactNode;
}

const steps: Step[] = [
  {
    name: "consumer",
    title: "Create a consumer with a key",
    text: "Whoever calls your API is a consumer and has keys of its own.",
    command: "tollgate consumers create acme --with-key",
    action: (
      <Link className="button" to="/consumers" search={{ new: true }}>
        Create consumer
      </Link>
    ),
  },
  {
    name: "deployment",
    title: "Deploy a gateway in front of your service",
    text: "An OpenAPI document says which policies guard each route, and where it leads.",
    command: "tollgate init my-gateway && tollgate deploy my-gateway",
    action: (
      <Link className="button" to="/deployments" search={{ new: true }}>
        Deploy
      </Link>
    ),
  },
  {
    name: "plan",
    title: "Subscribe the consumer to a plan",
    text: "A plan limits what is used in a month; a subscription holds a customer to it.",
    command: "tollgate metering create && tollgate plans create price_gold --label Gold --meter requests=1000",
    action: (
      <Link className="button" to="/plans" search={{ new: true }}>
        Create plan
      </Link>
    ),
  },
  {
    name: "request",
    title: "Send the first request",
    text: "With the consumer's key, to the address of the deployment.",
    command: 'curl http://my-gateway-main-0000000.localhost:8787/ -H "Authorization: Bearer $KEY"',
    action: (
      <Link className="button" to="/deployments">
        Find the address
      </Link>
    ),
  },
];

export function Checklist({ progress }: { progress: Progress }) {
  const { canEdit } = useSession();
  return (
    <ol className="steps">
      {steps.map(({ name, title, text, command, action }, index) => (
        <li className="step card" key={name} data-done={progress[name] || undefined}>
          <span className="step-mark">
            {progress[name] ? <Check size={14} aria-label="Done" /> : <span aria-hidden>{index + 1}</span>}
          </span>
          <div>
            <h2>{title}</h2>
            <p className="muted">{text}</p>
            {!progress[name] && <Code text={command} />}
          </div>
          {!progress[name] && canEdit && action}
        </li>
      ))}
    </ol>
  );
}
