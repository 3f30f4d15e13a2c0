//! What can be typed.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use stiction_limits::Budget;

/// Simulate bodies in frictional contact: cloth, rods and hair, soft solids.
#[derive(Parser)]
#[command(name = "stiction", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// List the gallery
    Scenes(ScenesOptions),
    /// List the methods, or the options of one
    Methods(MethodsOptions),
    /// Read a scene, report its sizes and what crosses at the start; run nothing
    Check(CheckOptions),
    /// Run a scene into a folder
    Run(RunArgs),
    /// What a run was and how it went
    Info(InfoOptions),
    /// Write a run as files for other programs
    Export(ExportArgs),
    /// Draw frames of a run as PNG, without a display
    Render(RenderArgs),
    /// Measure physics against closed forms and published curves
    Verify(VerifyOptions),
    /// Time kernels and whole scenes
    Bench(BenchOptions),
    /// Show a run in the browser, or run a scene and watch it
    #[command(mut_arg("scene", |a| a.value_name("RUN|SCENE").help("Run folder, scene file, or name of a gallery scene")))]
    View(ViewOptions),
}

/// A scene and what is changed in it.
#[derive(Args)]
pub struct SceneOptions {
    /// Scene file, or name of a gallery scene
    pub scene: String,
    /// Method instead of the one that the scene names
    #[arg(long, value_name = "KEY")]
    pub method: Option<String>,
    /// Change a value: --set bodies.cloth.friction=0.3
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Number of frames instead of the scene's
    #[arg(long, value_name = "N")]
    pub frames: Option<u32>,
    /// Threads to use (default: all cores); results do not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub limits: LimitOptions,
}

/// What the input may cost.
#[derive(Args)]
pub struct LimitOptions {
    /// Memory that input may ask for, in gigabytes (default: half of the machine's)
    #[arg(long, value_name = "GB", value_parser = budget)]
    memory: Option<Budget>,
}

impl LimitOptions {
    /// The budget to read with.
    pub fn budget(&self) -> Budget {
        self.memory.clone().unwrap_or_default()
    }
}

fn budget(text: &str) -> Result<Budget, String> {
    let gigabytes = text.parse().ok().and_then(Budget::of_gigabytes);
    gigabytes.ok_or_else(|| "it must be a positive number of gigabytes, such as 8".to_owned())
}

#[derive(Args)]
pub struct ScenesOptions {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct MethodsOptions {
    /// Method whose options are listed with their defaults
    pub key: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Where a run goes.
#[derive(Args)]
pub struct FolderOptions {
    /// Folder for the run (default: runs/NAME)
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Continue the run in the folder from its newest checkpoint
    #[arg(long)]
    pub resume: bool,
    /// Replace the run in the folder; other files there stay
    #[arg(long, conflicts_with = "resume")]
    pub overwrite: bool,
}

#[derive(Args)]
pub struct CheckOptions {
    #[command(flatten)]
    pub scene: SceneOptions,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub scene: SceneOptions,
    #[command(flatten)]
    pub folder: FolderOptions,
    /// Watch the run in the browser while it goes on
    #[arg(long)]
    pub view: bool,
    #[command(flatten)]
    pub server: ServerArgs,
    /// Print the summary as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct InfoOptions {
    /// Run folder
    pub run: PathBuf,
    #[command(flatten)]
    pub limits: LimitOptions,
    /// Draw the residuals of a step, iteration by iteration, into this SVG file
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Step of the profile (default: the last one that has it)
    #[arg(long, value_name = "N", requires = "profile")]
    pub step: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct ExportArgs {
    /// Run folder
    pub run: PathBuf,
    #[command(flatten)]
    pub limits: LimitOptions,
    /// Format: obj, ply, vtu (or vtk), pc2, glb (or gltf), usda (or usd), npz, html
    #[arg(long, value_name = "FORMAT")]
    pub to: String,
    /// File or folder to write (default: named after the run)
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Take every n-th frame
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub every: u32,
    /// Only these bodies (may be given more than once)
    #[arg(long, value_name = "NAME")]
    pub body: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct RenderArgs {
    /// Run folder
    pub run: PathBuf,
    #[command(flatten)]
    pub limits: LimitOptions,
    /// Picture to write; with --sequence, its name is numbered
    #[arg(short, long, value_name = "PNG", default_value = "render.png")]
    pub output: PathBuf,
    /// Frames to draw, separated by commas (default: four, spread over the run)
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub frames: Vec<u32>,
    /// Draw every n-th frame
    #[arg(long, value_name = "N", conflicts_with = "frames")]
    pub every: Option<usize>,
    /// Size of one picture
    #[arg(long, value_name = "WxH", default_value = "960x720")]
    pub size: String,
    /// Azimuth and elevation in degrees, and optionally a distance factor: 35,20 or 35,20,0.8
    #[arg(long, value_name = "AZ,EL[,DIST]", value_delimiter = ',', allow_hyphen_values = true)]
    pub camera: Vec<f32>,
    /// Colour by body, velocity, strain, pressure or another channel of the run
    #[arg(long, value_name = "FIELD", default_value = "body")]
    pub color_by: String,
    /// One numbered picture per frame instead of a sheet
    #[arg(long)]
    pub sequence: bool,
    /// Mark contacts with their normals and forces
    #[arg(long)]
    pub contacts: bool,
    /// Mark pinned vertices
    #[arg(long)]
    pub pins: bool,
}

/// Where the viewer listens.
#[derive(Args)]
pub struct ServerArgs {
    /// Port of the viewer (default: a free one)
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// Address of the viewer; anything but loopback shows the run to the network
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: String,
    /// Print the viewer's address, open no browser
    #[arg(long)]
    pub no_open: bool,
}

#[derive(Args)]
pub struct ViewOptions {
    #[command(flatten)]
    pub scene: SceneOptions,
    #[command(flatten)]
    pub folder: FolderOptions,
    #[command(flatten)]
    pub server: ServerArgs,
}

#[derive(Args)]
pub struct VerifyOptions {
    /// Cases to run (default: all)
    #[arg(value_name = "CASE")]
    pub cases: Vec<String>,
    /// List the cases and measure nothing
    #[arg(long)]
    pub list: bool,
    /// Method that runs them; cases with contact take `admm` instead of `newton`
    #[arg(long, value_name = "KEY", default_value = "newton")]
    pub method: String,
    /// Folder of recorded problems for the cases `ccd` and `coulomb`
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct BenchOptions {
    /// Cases to measure, by name or by how the name begins (default: all)
    #[arg(value_name = "CASE")]
    pub cases: Vec<String>,
    /// List the cases and measure nothing
    #[arg(long)]
    pub list: bool,
    /// Take the long variant of cases that have one
    #[arg(long)]
    pub full: bool,
    /// Threads to use (default: all cores)
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
