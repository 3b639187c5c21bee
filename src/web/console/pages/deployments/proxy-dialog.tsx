import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { BuildError, proxyProject, type Tollgate, TollgateError } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { CancelButton, Dialog } from "../../../components/dialog.tsx";
import { Checkbox, TextField } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { command, shellWord } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";
import { BuildErrors, BuildProgress } from "./build-progress.tsx";
import { packTexts } from "./project-source.ts";
import { useDeploy } from "./use-deploy.ts";

const bucket = "main";
const branch = "main";

/** Deploys a gateway that forwards every request to a URL, and creates a key for it. */
export function ProxyDialog({ onClose }: { onClose: () => void }) {
  const { api } = useSession();
  const [url, setUrl] = useState("");
  const [preserveHost, setPreserveHost] = useState(false);
  const [named, setNamed] = useState<string>();
  const [invalidUrl, setInvalidUrl] = useState<string>();
  const [done, setDone] = useState<FirstGateway>();
  const project = named ?? projectNameOf(url);
  const { deploy, steps, errors, isStarted } = useDeploy(() => {});
  const create = useMutation({
    mutationFn: async () => {
      await expectNewProject(api, project);
      const archive = await packTexts(proxyProject({ title: project, upstream: url, preserveHost, bucket }));
      const deployment = await deploy.mutateAsync({ archive, project, branch });
      const [key, warnings] = await Promise.all([firstKey(api, project), warningsOf(api, deployment.name, project)]);
      return { url: deployment.url, name: deployment.name, consumer: consumerOf(project), key, warnings };
    },
    onSuccess: setDone,
  });
  if (done) return <ProxyDone gateway={done} upstream={url} onClose={onClose} />;
  const error = create.error;
  const fields = fieldErrors(error);
  const submit = () => {
    const wrong = targetError(url);
    setInvalidUrl(wrong);
    if (wrong === undefined) create.mutate();
  };
  return (
    <Dialog
      title="Put a gateway in front of a URL"
      isWide
      // The key is shown once: closing the dialog now would lose it.
      isStubborn={create.isPending}
      onClose={onClose}
      onSubmit={submit}
      footStart={
        <CopyAs
          call={(api) => api.deploy(new Uint8Array(), { project, branch })}
          uploads="project.tar.gz"
          command={`${command("init", project, "--proxy", url, ...(preserveHost ? ["--preserve-host"] : []))} && ${command("deploy", project)}`}
        />
      }
      foot={
        <>
          <CancelButton onClose={onClose} disabled={create.isPending} />
          <Button type="submit" kind="primary" isBusy={create.isPending} disabled={url === "" || project === ""}>
            Create gateway
          </Button>
        </>
      }
    >
      {error && !(error instanceof BuildError) && <ErrorNotice error={error} />}
      {error instanceof BuildError && <Notice kind="error">{error.message}</Notice>}
      <p className="muted">
        Every request needs a key, is limited to 60 a minute per consumer, and goes on to your API with its method, path
        and body. Nothing changes at your API.
      </p>
      <TextField
        label="URL of your API"
        isMono
        inputMode="url"
        placeholder="https://api.acme.example"
        value={url}
        error={invalidUrl}
        disabled={create.isPending}
        onChange={(event) => {
          setUrl(event.target.value.trim());
          setInvalidUrl(undefined);
        }}
      />
      <TextField
        label="Name"
        isMono
        placeholder="orders"
        hint="The name of the project, which becomes part of the gateway's address."
        disabled={create.isPending}
        {...bindInput(project, setNamed, errorAt(fields, "/projectName"))}
      />
      <Checkbox
        label="Send the client's Host header"
        hint="Your API gets the gateway's host instead of its own. Its certificate is still verified for its own host."
        checked={preserveHost}
        disabled={create.isPending}
        onChange={(event) => setPreserveHost(event.target.checked)}
      />
      {isStarted && <BuildProgress steps={steps} />}
      {errors.length > 0 && <BuildErrors errors={errors} />}
    </Dialog>
  );
}

/** A second deployment of the project would replace the first one. */
async function expectNewProject(api: Tollgate, project: string): Promise<void> {
  const { total } = await api.deployments.listAll({ project, limit: 1 }).page();
  if (total === 0) return;
  const detail = "is the name of another project. Choose a new one; this would replace its gateway";
  throw new TollgateError({ status: 409, code: "conflict", detail, errors: [{ pointer: "/projectName", detail }] });
}

const consumerOf = (project: string) => `${project}-first`;

/** A key of the project's first consumer, which a former attempt may have created. */
async function firstKey(api: Tollgate, project: string): Promise<string> {
  const name = consumerOf(project);
  try {
    const consumer = { name, description: `Tries the gateway ${project}` };
    const { apiKeys } = await api.consumers(bucket).create(consumer, { withApiKey: true });
    return apiKeys![0]!.key!;
  } catch (error) {
    if (!(error instanceof TollgateError) || error.status !== 409) throw error;
    const { key } = await api.keys(bucket, name).create({ description: "From the console" });
    return key!;
  }
}

/** An upstream that the egress rules reject is a warning of the build. */
async function warningsOf(api: Tollgate, name: string, project: string): Promise<string[]> {
  const { data } = await api.deployments.versions(name).page();
  const live = data.find(({ isActive }) => isActive);
  const status = live && (await api.deployments.status(project, live.statusId));
  return (status?.buildResult.warnings ?? []).map(({ message }) => message);
}

/** What is wrong with the URL of an API, as a sentence for its field. Undefined if a gateway can be put in front of it. */
function targetError(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be a whole URL, such as https://api.acme.example";
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "must begin with https:// or http://";
  if (username !== "" || password !== "")
    return "must not contain a user name or password: keep them in a variable and set them by the policy headers";
  if (search !== "" || hash !== "") return "must not contain a query or a fragment: it is the start of every address";
  return undefined;
}

/** A project's name for the URL: the most specific label of its host. */
function projectNameOf(text: string): string {
  if (!URL.canParse(text)) return "";
  const { hostname } = new URL(text);
  const labels = hostname.split(".").filter((label) => !["www", "api", "com", "net", "org", "io"].includes(label));
  const isAddress = /^[\d.]+$|:/.test(hostname);
  const [label = ""] = isAddress ? ["my-api"] : labels;
  return label
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
}

interface FirstGateway {
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
function ProxyDone({ gateway: { name, url, consumer, key, warnings }, upstream, onClose }: Props) {
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
