import { Notice, NotLoaded } from "../../../components/notice.tsx";
import { ConfirmCall } from "../../shell/requests.tsx";
import { ChangesInWords, changesBetween, switchLabel, useContents, useVersions } from "./versions.tsx";

interface Props {
  name: string;
  /** Undefined selects the previous version. */
  version: number | undefined;
  onClose: () => void;
}

/** Shows the changes in routes, policies, variables and code before the roll-back. */
export function RollBack({ name, version: named, onClose }: Props) {
  const versions = useVersions(name);
  const active = versions.data?.find(({ isActive }) => isActive)?.number;
  const version = named ?? versions.data?.find(({ number }) => active !== undefined && number < active)?.number;
  const present = useContents(name, active);
  const earlier = useContents(name, version);
  const error = versions.error ?? present.error ?? earlier.error;
  const isReady = present.data && earlier.data;
  return (
    <ConfirmCall
      title={version === undefined ? "Roll back" : `${switchLabel(version, active)} version ${version}?`}
      action={version === undefined ? "Roll back" : `${switchLabel(version, active)} ${version}`}
      isSafe
      isImpossible={versions.data !== undefined && version === undefined}
      call={(api) => api.deployments.rollBack(name, version === undefined ? {} : { version })}
      onClose={onClose}
      done={`Version ${version} is live`}
    >
      {versions.data && version === undefined ? (
        <Notice kind="warning">There is no earlier version to go back to.</Notice>
      ) : (
        <p>
          Version {active} stops serving and version {version} takes its place without losing a request. Nothing is
          built, and version {active} can come back in the same way. Secrets stay those of now.
        </p>
      )}
      {(error || (version !== undefined && !isReady)) && <NotLoaded of={{ error }} lines={2} />}
      {isReady && <ChangesInWords changes={changesBetween(present.data.contents, earlier.data.contents)} />}
    </ConfirmCall>
  );
}
