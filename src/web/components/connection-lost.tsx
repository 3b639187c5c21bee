import { Unplug } from "lucide-react";
import { useIsConnected } from "../lib/connection.ts";

/** Shown while the server does not respond. The page continues by itself. */
export function ConnectionLost() {
  const isConnected = useIsConnected();
  if (isConnected) return null;
  return (
    <p className="connection-lost" role="alert">
      <Unplug size={16} aria-hidden />
      <span>Connection lost. Reconnecting… Your input is kept.</span>
    </p>
  );
}
