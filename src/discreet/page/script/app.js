// @ts-check
// The page of a release begins here: what was released is read, and shown by its kind.
import { makePredictor, showLinear } from "./linear.js";
import { showNetwork } from "./network.js";
import { begin } from "./begin.js";

begin(async (release, page) => {
  // For the curious: discreet.ask({smoke: "yes"}), with what is set as a second argument, and discreet.predict([180, 40]) in the
  // browser's console.
  if (release.kind !== "linear") return showNetwork(release, page);
  showLinear(release, page);
  return { predict: makePredictor(release) };
});
