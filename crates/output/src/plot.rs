//! Line plots with a logarithmic axis, as SVG text.

use std::fmt::Write;

/// Size of the picture and of the margins around the axes, in pixels.
const SIZE: [f64; 2] = [640.0, 420.0];
const MARGIN: [f64; 4] = [70.0, 20.0, 40.0, 50.0];
const COLOURS: [&str; 6] = ["#b02a1e", "#1f5f99", "#3a7d34", "#8a5a1c", "#6a3d9a", "#444444"];

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y); those with y ≤ 0 or not finite are left out.
    pub points: Vec<(f64, f64)>,
}

/// A plot: linear in x, logarithmic in y.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogPlot {
    /// Above the axes.
    pub title: String,
    /// Below the axes.
    pub x_label: String,
    /// Lines.
    pub series: Vec<Series>,
}

/// Ranges of the axes, y in decades.
struct Axes {
    x: [f64; 2],
    y: [f64; 2],
}

impl Axes {
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let [left, right, top, bottom] = MARGIN;
        let along = |value: f64, [low, high]: [f64; 2]| (value - low) / (high - low);
        let across = SIZE[0] - left - right;
        let up = SIZE[1] - top - bottom;
        (left + across * along(x, self.x), SIZE[1] - bottom - up * along(y.log10(), self.y))
    }
}

impl LogPlot {
    /// The picture.
    pub fn to_svg(&self) -> String {
        let axes = self.axes();
        let [width, height] = SIZE;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        self.write_frame(&axes, &mut out);
        for (k, series) in self.series.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            let points: Vec<String> = (series.points.iter().filter(|p| is_shown(p)))
                .map(|p| axes.place(*p))
                .map(|(x, y)| format!("{x:.1},{y:.1}"))
                .collect();
            let line = points.join(" ");
            let _ = writeln!(
                out,
                "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>"
            );
            let (x, y) = (width - MARGIN[1] - 150.0, MARGIN[2] + 16.0 * (k as f64 + 1.0));
            let name = escaped(&series.name);
            let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{name}</text>");
        }
        out.push_str("</svg>\n");
        out
    }

    fn axes(&self) -> Axes {
        let shown = || self.series.iter().flat_map(|s| &s.points).filter(|p| is_shown(p));
        let range = |of: fn(&(f64, f64)) -> f64| {
            let low = shown().map(of).fold(f64::INFINITY, f64::min);
            let high = shown().map(of).fold(f64::NEG_INFINITY, f64::max);
            if low < high {
                [low, high]
            } else if low == high {
                [low - 1.0, high + 1.0]
            } else {
                [0.0, 1.0]
            }
        };
        let [low, high] = range(|p| p.1.log10());
        Axes { x: range(|p| p.0), y: [low.floor(), high.ceil().max(low.floor() + 1.0)] }
    }

    fn write_frame(&self, axes: &Axes, out: &mut String) {
        let (bottom_left, top_right) =
            (axes.place((axes.x[0], 10f64.powf(axes.y[0]))), axes.place((axes.x[1], 10f64.powf(axes.y[1]))));
        for decade in axes.y[0] as i32..=axes.y[1] as i32 {
            let (_, y) = axes.place((axes.x[0], 10f64.powi(decade)));
            let (x0, x1) = (bottom_left.0, top_right.0);
            let _ = writeln!(
                out,
                "<line x1=\"{x0:.1}\" y1=\"{y:.1}\" x2=\"{x1:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">1e{decade}</text>",
                x0 - 6.0,
                y + 4.0
            );
        }
        for x in axes.x {
            let (at, _) = axes.place((x, 1.0));
            let y = bottom_left.1 + 16.0;
            let _ = writeln!(out, "<text x=\"{at:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{x}</text>");
        }
        let middle = 0.5 * (bottom_left.0 + top_right.0);
        for (text, y) in [(&self.title, MARGIN[2] - 14.0), (&self.x_label, SIZE[1] - 12.0)] {
            let text = escaped(text);
            let _ =
                writeln!(out, "<text x=\"{middle:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>");
        }
        let (x, y) = (bottom_left.0, top_right.1);
        let (width, height) = (top_right.0 - x, bottom_left.1 - y);
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" stroke=\"black\"/>"
        );
    }
}

fn is_shown(point: &(f64, f64)) -> bool {
    point.0.is_finite() && point.1.is_finite() && point.1 > 0.0
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_and_ends_fall_on_the_frame() {
        let series = Series { name: "a < b".to_owned(), points: vec![(1.0, 1e-3), (5.0, 10.0), (6.0, 0.0)] };
        let plot = LogPlot { series: vec![series], ..LogPlot::default() };
        let svg = plot.to_svg();
        // x runs from 70 to 620, y from 370 (1e-3) up to 40 (1e1); the point at zero is left out.
        assert!(svg.contains("points=\"70.0,370.0 620.0,40.0\""), "{svg}");
        assert!(svg.contains("a &lt; b") && svg.contains(">1e-3<") && svg.contains(">1e1<"));
    }

    #[test]
    fn nothing_to_draw_is_still_a_picture() {
        assert!(LogPlot::default().to_svg().ends_with("</svg>\n"));
    }
}
