// The emoji names that apps use most; any other name stays as typed.

const EMOJI = {
  white_check_mark: "✅", heavy_check_mark: "✔️", x: "❌", warning: "⚠️", rotating_light: "🚨", lock: "🔒",
  unlock: "🔓", key: "🔑", shield: "🛡️", bug: "🐛", mag: "🔍", eyes: "👀", robot_face: "🤖", gear: "⚙️",
  hourglass: "⌛", hourglass_flowing_sand: "⏳", stopwatch: "⏱️", zap: "⚡", fire: "🔥", bulb: "💡", memo: "📝",
  clipboard: "📋", paperclip: "📎", link: "🔗", file_folder: "📁", page_facing_up: "📄", bar_chart: "📊",
  arrow_forward: "▶️", double_vertical_bar: "⏸️", black_square_for_stop: "⏹️", arrows_counterclockwise: "🔄",
  leftwards_arrow_with_hook: "↩️", no_entry: "⛔", no_entry_sign: "🚫", octagonal_sign: "🛑", question: "❓",
  exclamation: "❗", information_source: "ℹ️", red_circle: "🔴", large_orange_circle: "🟠", large_yellow_circle: "🟡",
  large_green_circle: "🟢", large_blue_circle: "🔵", white_circle: "⚪", black_circle: "⚫", speech_balloon: "💬",
  wave: "👋", thumbsup: "👍", "+1": "👍", thumbsdown: "👎", "-1": "👎", tada: "🎉", heart: "❤️", rocket: "🚀",
  test_tube: "🧪", package: "📦", hammer: "🔨", wrench: "🔧", bell: "🔔", calendar: "📅", bust_in_silhouette: "👤",
  busts_in_silhouette: "👥", raised_hand: "✋", point_right: "👉", smile: "😄", slightly_smiling_face: "🙂",
};

export function emoji(name) {
  return EMOJI[name] ?? null;
}
