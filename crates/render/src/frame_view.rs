//! From a frame of a run to a view: bodies, colours, contacts.

use stiction_output::{
    BodyLayout, ContactPoint, Frame, Layout, LayoutKind, StoredMotion, UpAxis as RunUpAxis,
};

use crate::colour::{Colour, ColourMap, body_colour};
use crate::error::RenderError;
use crate::legend::Legend;
use crate::view::{Marker, MeshView, SceneView, TubeView, UpAxis};

/// Colour that a layout gives to bodies for which nothing was chosen; the palette replaces it.
const UNSET: [f32; 3] = [0.7; 3];

/// What colours show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Each body its own.
    #[default]
    Body,
    /// Speed of the vertices [m/s].
    Velocity,
    /// A scalar channel of the frames, by name.
    Channel(String),
}

impl std::str::FromStr for ColourBy {
    type Err = std::convert::Infallible;

    /// `body`, `velocity`, or the name of a channel; `pressure` is short for `contact_pressure`.
    fn from_str(text: &str) -> Result<ColourBy, Self::Err> {
        Ok(match text {
            "body" => ColourBy::Body,
            "velocity" | "speed" => ColourBy::Velocity,
            "pressure" => ColourBy::Channel("contact_pressure".into()),
            name => ColourBy::Channel(name.into()),
        })
    }
}

impl ColourBy {
    /// The scalar per vertex, or `None` for colours by body.
    pub(crate) fn values(&self, frame: &Frame) -> Result<Option<Vec<f32>>, RenderError> {
        let missing = |what: String| {
            let names: Vec<&str> = frame.channels.iter().map(|c| c.name.as_str()).collect();
            let problem = format!("frame {} has no {what}; channels: {}", frame.index, names.join(", "));
            RenderError::BadOption { name: "color-by", problem }
        };
        match self {
            ColourBy::Body => Ok(None),
            ColourBy::Velocity if frame.velocities.is_empty() => Err(missing("velocities".into())),
            ColourBy::Velocity => Ok(Some(frame.velocities.iter().map(|v| crate::v3(*v).norm()).collect())),
            ColourBy::Channel(name) => match frame.channel(name) {
                Some(values) => Ok(Some(values.to_vec())),
                None => Err(missing(format!("channel `{name}`"))),
            },
        }
    }

    fn title(&self) -> String {
        match self {
            ColourBy::Body => String::new(),
            ColourBy::Velocity => "speed [m/s]".into(),
            ColourBy::Channel(name) if name == "contact_pressure" => "contact pressure [Pa]".into(),
            ColourBy::Channel(name) => name.replace('_', " "),
        }
    }

    /// Colour bar for values in a range: from zero, or symmetric about it when there are negative
    /// ones.
    pub(crate) fn legend(&self, [low, high]: [f32; 2]) -> Legend {
        let reach = low.abs().max(high.abs());
        let reach = if reach > 0.0 { reach as f64 } else { 1.0 };
        let (low, map) =
            if low < 0.0 { (-reach, ColourMap::Diverging) } else { (0.0, ColourMap::Sequential) };
        Legend { title: self.title(), low, high: reach, map }
    }
}

/// What is laid over the bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overlays {
    pub contacts: bool,
    pub intersections: bool,
    pub pins: bool,
}

/// Turns one frame into a view. `hidden` bodies (a floor drawn as ground) are left out.
pub(crate) fn scene_view(
    layout: &Layout,
    frame: &Frame,
    scalars: Option<(&[f32], &Legend)>,
    overlays: Overlays,
    hidden: &[usize],
) -> SceneView {
    let up = match layout.up_axis {
        RunUpAxis::X => UpAxis::X,
        RunUpAxis::Y => UpAxis::Y,
        RunUpAxis::Z => UpAxis::Z,
    };
    let mut scene = SceneView { up, ..SceneView::default() };
    for (index, body) in layout.bodies.iter().enumerate().filter(|(i, _)| !hidden.contains(i)) {
        add_body(&mut scene, index, body, frame, scalars);
    }
    add_markers(&mut scene, layout, frame, overlays);
    scene
}

fn add_body(
    scene: &mut SceneView,
    index: usize,
    body: &BodyLayout,
    frame: &Frame,
    scalars: Option<(&[f32], &Legend)>,
) {
    let [r, g, b] = body.colour;
    let neutral = Colour::hex(0xb9bec6);
    let colour = match (body.kind, body.colour == UNSET) {
        (LayoutKind::Collider, true) => neutral,
        (_, true) => body_colour(index),
        _ => Colour::new(r, g, b),
    };
    // values exist on free bodies only; the rest steps back behind them
    let scalars = scalars.filter(|_| body.motion == StoredMotion::Free);
    let vertex_colours: Option<Vec<Colour>> = scalars.map(|(values, legend)| {
        let span = (legend.high - legend.low) as f32;
        values[body.range()].iter().map(|v| legend.map.at((v - legend.low as f32) / span)).collect()
    });
    let positions = &frame.positions[body.range()];
    if !body.triangles.is_empty() {
        scene.meshes.push(MeshView {
            vertex_colours: vertex_colours.clone(),
            thickness: if body.kind == LayoutKind::Cloth { body.thickness } else { 0.0 },
            ..MeshView::new(&body.name, positions.to_vec(), body.triangles.clone(), colour)
        });
    }
    let alone = body.strands.len() < 2;
    let mut add_strand = |number: usize, strand: &[u32]| {
        let colour = if alone { colour } else { shade_of_strand(colour, number) };
        let pick = |v: &u32| positions[*v as usize];
        let radii =
            (body.radius.len() > 1).then(|| strand.iter().map(|&v| body.radius_at(v as usize)).collect());
        let colours = |c: &Vec<Colour>| strand.iter().map(|&v| c[v as usize]).collect();
        scene.tubes.push(TubeView {
            radii,
            vertex_colours: vertex_colours.as_ref().map(colours),
            ..TubeView::new(strand.iter().map(pick).collect(), body.radius_at(0), colour)
        });
    };
    if body.strands.is_empty() {
        body.segments.iter().for_each(|s| add_strand(0, s));
    } else {
        body.strands.iter().enumerate().for_each(|(number, s)| add_strand(number, s));
    }
}

/// Strands of one body differ a little in lightness, as hairs do, so that the eye can follow one
/// among many.
fn shade_of_strand(colour: Colour, number: usize) -> Colour {
    /// Part of the way to black or white, at most.
    const REACH: f32 = 0.22;
    // multiples of the golden ratio: neighbours lie far apart, and no two are the same
    let turn = (number as f64 * 0.618_033_988_749_895).fract() as f32 * 2.0 - 1.0;
    let end = if turn < 0.0 { 0.0 } else { 1.0 };
    colour.mix(Colour::new(end, end, end), REACH * turn.abs())
}

/// Most markers of a kind in a picture: more cover each other, and a frame may hold millions.
const MAX_MARKERS: usize = 20_000;

/// All contacts in their order, or the strongest of them when there are too many to be told apart.
fn strongest_first(contacts: &[ContactPoint]) -> Vec<&ContactPoint> {
    let mut shown: Vec<&ContactPoint> = contacts.iter().collect();
    if shown.len() > MAX_MARKERS {
        let force = |c: &ContactPoint| crate::v3(c.force).norm();
        shown.sort_by(|a, b| force(b).total_cmp(&force(a)));
        shown.truncate(MAX_MARKERS);
    }
    shown
}

fn add_markers(scene: &mut SceneView, layout: &Layout, frame: &Frame, overlays: Overlays) {
    let normal_colour = Colour::hex(0xe07a1f);
    let force_colour = Colour::hex(0x1f6fd6);
    if overlays.contacts {
        let shown = strongest_first(&frame.contacts);
        let strongest = frame.contacts.iter().map(|c| crate::v3(c.force).norm()).fold(0.0, f32::max);
        for contact in shown {
            let position = contact.point;
            let normal = Marker { position, arrow: Some(contact.normal), colour: normal_colour, size: 4.0 };
            scene.markers.push(normal);
            if strongest > 0.0 {
                let arrow = Some(contact.force.map(|f| 2.0 * f / strongest));
                scene.markers.push(Marker { position, arrow, colour: force_colour, size: 0.0 });
            }
        }
    }
    if overlays.intersections {
        let colour = Colour::hex(0xf01020);
        let places = frame.intersections.iter().take(MAX_MARKERS);
        scene.markers.extend(places.map(|&position| Marker { position, arrow: None, colour, size: 5.0 }));
    }
    if overlays.pins {
        let colour = Colour::hex(0x30343a);
        for body in &layout.bodies {
            let positions = &frame.positions[body.range()];
            let pinned = body.pinned.iter().take(MAX_MARKERS).map(|&v| positions[v as usize]);
            scene.markers.extend(pinned.map(|position| Marker { position, arrow: None, colour, size: 4.0 }));
        }
    }
}
