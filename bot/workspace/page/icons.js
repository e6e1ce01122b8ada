// The page's own pictograms, drawn so that they do not depend on the fonts of a machine.

const SHAPES = {
  attach: "M12 5v14M5 12h14",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  file: "M6 2h8l5 5v15H6zM14 2v5h5",
  image: "M3 4h18v16H3zM3 17l5-5 4 4 3-3 6 5M15 8.5a1 1 0 1 0 .01 0",
  lock: "M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4",
  people: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21c0-4 3-6 7-6s7 2 7 6M16 4a4 4 0 0 1 0 7M18 15c3 1 4 3 4 6",
  react: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9v1M15 9v1M8 14c1 2 2.5 3 4 3s3-1 4-3",
  send: "M3 11l18-8-6 18-3-7z",
  thread: "M4 4h16v12H9l-5 4z",
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "pictogram");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}
