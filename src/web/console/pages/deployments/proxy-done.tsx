import { Link } from "@tanstack/react-router";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Notice } from "../../../components/notice.tsx";
import { shellWord } from "../../../lib/shell.ts";

export interface FirstGateway {
  name: string;
  url: string;
  consumer: string;
  /** Shown once. */
  key: string;
  warnings: string[];
}

interface Props {
  gateway: FirstGateway;
  upstream: string;
  onClose: () => void;
}

/** The address of a new gateway, and a request that works. */
export function ProxyDone({ gateway: { name, url, consumer, key, warnings }, upstream, onClose }: Props) {
  return (
    <Dialog
      title="The gateway is live"
      isWide
      isStubborn
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>I have stored the key</Button>
          <Link
            className="button"
            data-kind="primary"
            to="/deployments/$name"
            params={{ name }}
            search={{ tab: "routes" }}
          >
            Show its routes
          </Link>
        </>
      }
    >
      {warnings.map((message) => (
        <Notice kind="warning" key={message}>
          {upstream}: {message}.
        </Notice>
      ))}
      <p>Its address:</p>
      <Code text={url} />
      <p>
        A request with the key of the new consumer <strong>{consumer}</strong>. The key may not be shown again.
      </p>
      <Code text={`curl ${shellWord(`${url}/`)} -H ${shellWord(`Authorization: Bearer ${key}`)}`} />
      <p className="muted">
        Without a key the response is 401. Every request is on the page Requests, with the reason if it was rejected.
      </p>
    </Dialog>
  );
}
